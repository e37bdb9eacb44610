import { CadreError, messageOf } from '@cadre/core'

/** How long standard input may stay silent before a run starts without it, in milliseconds. */
const maxSilence = 5_000

/** The maximum that is appended to the message, in bytes: about 100,000 tokens. */
const maxBytes = 400_000

export type StandardInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
  /** It is open, but sent nothing. `late` resolves if data arrives later. */
  | { readonly kind: 'silent'; readonly late: Promise<void> }

export interface StdinOptions {
  /** Waits for the end of input, however long it takes. */
  readonly waits?: boolean
  readonly silence?: number
  readonly max?: number
}

/**
 * Reads data that other programs pass on standard input. Never reads from a terminal. A pipe that stays open and silent, as
 * left by an editor, a scheduler or `ssh`, does not block: only its first byte is awaited, and only for a short time.
 */
export function readStdin(stdin: NodeJS.ReadStream, options: StdinOptions = {}): Promise<StandardInput> {
  const { waits = false, silence = maxSilence, max = maxBytes } = options
  if (stdin.isTTY) return Promise.resolve({ kind: 'none' })
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    const settle = (result: () => StandardInput) => {
      clearTimeout(timer)
      stdin.off('data', take).off('end', end).off('error', fail)
      try {
        resolve(result())
      } catch (error) {
        reject(error)
      }
    }
    const take = (chunk: Buffer | string) => {
      clearTimeout(timer)
      const bytes = Buffer.from(chunk as Buffer)
      chunks.push(bytes)
      size += bytes.length
      if (size <= max) return
      settle(() => inputOf(chunks, max))
      // Reads and drops the rest: a program whose pipe is closed early would fail.
      stdin.resume()
      stopReading(stdin)
    }
    const end = () => settle(() => inputOf(chunks, max))
    const fail = (error: unknown) => {
      settle(() => {
        throw new CadreError('usage', `cannot read standard input: ${messageOf(error)}`, { cause: error })
      })
    }
    const timer = setTimeout(() => settle(() => ({ kind: 'silent', late: lateInput(stdin) })), silence)
    if (waits) clearTimeout(timer)
    stdin.on('data', take).on('end', end).on('error', fail)
  })
}

function lateInput(stdin: NodeJS.ReadStream): Promise<void> {
  stopReading(stdin)
  return new Promise((resolve) => {
    stdin.once('data', () => resolve())
    stdin.on('error', () => {})
  })
}

/** It must not keep the process alive. */
function stopReading(stdin: NodeJS.ReadStream): void {
  if (typeof stdin.unref === 'function') stdin.unref()
}

function inputOf(chunks: readonly Buffer[], max: number): StandardInput {
  const bytes = Buffer.concat(chunks)
  if (bytes.includes(0))
    throw new CadreError(
      'usage',
      'standard input is binary: it contains a NUL byte. Pass text, or save it to a file and name the file in the message.',
    )
  const isCut = bytes.length > max
  // Omits a character that the limit would split.
  const text = new TextDecoder().decode(bytes.subarray(0, max), { stream: isCut })
  return text.trim() === '' ? { kind: 'none' } : { kind: 'text', text, isCut }
}
