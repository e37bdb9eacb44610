import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Io } from '../../io.ts'
import type { ReadLineOptions } from '../../run/ask-line.ts'

/** Reads one line from the keyboard without showing it; undefined if interrupted or closed. */
export function readSecret(
  io: Io,
  prompt: string,
  { signal, interrupt }: ReadLineOptions,
): Promise<string | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    const reader = createInterface({ input: io.stdin, output: nowhere, terminal: true, historySize: 0 })
    // Only now: before the reader is active, the terminal would echo the input.
    io.stdout.write(prompt)
    let line: string | undefined
    const stop = () => reader.close()
    signal.addEventListener('abort', stop, { once: true })
    reader.on('SIGINT', () => {
      interrupt()
      reader.close()
    })
    reader.on('close', () => {
      signal.removeEventListener('abort', stop)
      io.stdout.write('\n')
      resolve(line)
    })
    reader.question('', (said) => {
      line = said.trim()
      reader.close()
    })
  })
}
