import { createInterface } from 'node:readline'
import type { Io } from '../io.ts'

export interface ReadLineOptions {
  readonly signal: AbortSignal
  /** What Ctrl-C does: while a line is read, the terminal sends it to the reader and not to the process. */
  readonly interrupt: () => void
}

/** Reads one line from the keyboard, trimmed; undefined if interrupted or closed. */
export function readLine(io: Io, prompt: string, options: ReadLineOptions): Promise<string | undefined> {
  const { signal, interrupt } = options
  return new Promise((resolve) => {
    const reader = createInterface({ input: io.stdin, output: io.stdout.stream, terminal: true })
    let line: string | undefined
    const stop = () => reader.close()
    signal.addEventListener('abort', stop, { once: true })
    reader.on('SIGINT', () => {
      interrupt()
      reader.close()
    })
    reader.on('close', () => {
      signal.removeEventListener('abort', stop)
      resolve(line)
    })
    reader.question(prompt, (said) => {
      line = said.trim()
      reader.close()
    })
  })
}
