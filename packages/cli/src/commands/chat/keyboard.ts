/**
 * Owns standard input of a terminal while it is open: raw mode and bracketed paste.
 *
 * 1. Whatever ends the process, short of a kill, gives the terminal back as it was.
 * 2. An escape waits a moment for the rest of a sequence.
 */
import type { Io } from '../../io.ts'
import { createKeyReader, type Key } from './key-reader.ts'

export interface KeyboardOptions {
  readonly io: Pick<Io, 'stdin' | 'stdout' | 'env'>
  /** Keys that came together. */
  readonly onKeys: (keys: readonly Key[]) => void
  /** No more will come. */
  readonly onEnd: () => void
}

export interface Keyboard {
  readonly isOpen: boolean
  open(): void
  close(): void
  /** Closes it for good. */
  end(): void
}

/** How long an escape waits, in milliseconds. */
const escapeTime = 40
const enableBracketedPaste = '\x1b[?2004h'
const disableBracketedPaste = '\x1b[?2004l'

export function createKeyboard({ io, onKeys, onEnd }: KeyboardOptions): Keyboard {
  const { stdin, stdout } = io
  const marks = io.env['TERM'] !== 'dumb'
  const reader = createKeyReader()
  const decoder = new TextDecoder()
  let isOpen = false
  let escapeTimer: NodeJS.Timeout | undefined

  const take = (chunk: Buffer | string) => {
    if (escapeTimer !== undefined) clearTimeout(escapeTimer)
    escapeTimer = undefined
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    onKeys(reader.read(decoder.decode(bytes, { stream: true })))
    if (reader.isWaiting) escapeTimer = setTimeout(() => onKeys(reader.flush()), escapeTime)
  }
  const leave = () => void (marks && isOpen && stdout.stream.write(disableBracketedPaste))

  function close(): void {
    if (!isOpen) return
    leave()
    isOpen = false
    stdin.off('data', take).off('end', onEnd).off('error', onEnd).pause()
    stdin.setRawMode?.(false)
  }

  process.on('exit', leave)
  return {
    get isOpen() {
      return isOpen
    },
    open() {
      if (isOpen) return
      isOpen = true
      stdin.setRawMode?.(true)
      stdin.on('data', take).on('end', onEnd).on('error', onEnd).resume()
      if (marks) stdout.write(enableBracketedPaste)
    },
    close,
    end() {
      close()
      process.off('exit', leave)
    },
  }
}
