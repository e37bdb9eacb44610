import { CadreError, fencedText } from '@cadre/core'
import type { Io } from '../io.ts'
import { readStdin, type StandardInput, type StdinOptions } from './read-stdin.ts'

export interface WorkInput {
  readonly content: string
  /** Resolves if standard input sends data after the message was read without it. */
  readonly late?: Promise<void>
}

/**
 * Reads the message: the words on the command line, followed by standard input as data. Without words, or for a single `-`,
 * standard input is the message. A `-` as the last word waits for the end of standard input.
 */
export async function readWork(
  io: Io,
  words: readonly string[],
  { quiet = false, ...options }: StdinOptions & { readonly quiet?: boolean } = {},
): Promise<WorkInput> {
  const waits = words.at(-1) === '-'
  const said = (waits ? words.slice(0, -1) : words).join(' ')
  if (said.trim() === '') {
    // A person can type the message after a `-`, and end it with Ctrl-D.
    const isGiven = waits || (words.length === 0 && !io.stdin.isTTY)
    const content = isGiven ? await readAll(io.stdin) : ''
    if (content.trim() !== '') return { content }
    throw new CadreError(
      'usage',
      'the message is empty. Describe what to do, for example "cadre run \'List the TODOs\'".',
    )
  }
  const input = await readStdin(io.stdin, { ...options, waits })
  if (input.kind === 'none') return { content: said }
  if (input.kind === 'text') {
    if (input.isCut) io.warn(cutNotice(input.text.length))
    else if (!quiet) io.warn(`appended standard input to the message (${input.text.length} characters)`)
    return { content: `${said}\n\n${fenceInput(input)}` }
  }
  io.warn(
    'standard input is open, but sent nothing for 5 s, so the run starts without it. Add - after the message to wait for it, or < /dev/null to skip it.',
  )
  return { content: said, late: input.late }
}

function cutNotice(length: number): string {
  return `standard input is too long: only its first ${length} characters are appended to the message. Save it to a file and name the file in the message, so that agents read what they need.`
}

/** In a fence that the text cannot close, so that the model can distinguish data from the message. */
function fenceInput({ text, isCut }: Extract<StandardInput, { kind: 'text' }>): string {
  const cut = isCut ? `\n\n[The input continues. Only its first ${text.length} characters are shown.]` : ''
  return `This data was passed on standard input:\n\n${fencedText(text)}${cut}`
}

/** Reads a whole stream as text. */
export async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Buffer))
  return Buffer.concat(chunks).toString('utf8')
}
