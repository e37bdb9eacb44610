import { CadreError } from '@cadre/core'
import type { Io } from '../io.ts'

/** What a person wants done: the words on the command line, or all of standard input for a single `-`. */
export async function readWork(io: Io, words: readonly string[]): Promise<string> {
  const work = words.length === 1 && words[0] === '-' ? await readAll(io.stdin) : words.join(' ')
  if (work.trim() !== '') return work
  throw new CadreError(
    'usage',
    'the work is empty. Describe what to do, for example "cadre run \'List the TODOs\'".',
  )
}

/** All of a stream, as text. */
export async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Buffer))
  return Buffer.concat(chunks).toString('utf8')
}
