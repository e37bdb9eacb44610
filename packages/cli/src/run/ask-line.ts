import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Io } from '../io.ts'
import { wrapForTerminal } from '../output/wrap-for-terminal.ts'

export interface ReadLineOptions {
  readonly signal: AbortSignal
  /** What Ctrl-C does: while a line is read, the terminal sends it to the reader and not to the process. */
  readonly interrupt: () => void
  /** For secrets: the input is not shown. */
  readonly hidden?: boolean
}

/** Reads one line from the keyboard, trimmed; undefined if interrupted or closed. */
export function readLine(io: Io, prompt: string, options: ReadLineOptions): Promise<string | undefined> {
  const { signal, interrupt, hidden = false } = options
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    const output = hidden ? nowhere : io.stdout.stream
    const reader = createInterface({ input: io.stdin, output, terminal: true, historySize: 0 })
    // The reader redraws only the last line of a prompt.
    const lines = wrapForTerminal(io.stdout, prompt).split('\n')
    const last = lines.pop() ?? ''
    // Only now: before the reader is active, the terminal would echo the input.
    io.stdout.write([...lines, hidden ? last : ''].join('\n'))
    let line: string | undefined
    const stop = () => reader.close()
    signal.addEventListener('abort', stop, { once: true })
    reader.on('SIGINT', () => {
      interrupt()
      reader.close()
    })
    reader.on('close', () => {
      signal.removeEventListener('abort', stop)
      if (hidden) io.stdout.write('\n')
      resolve(line)
    })
    reader.question(hidden ? '' : last, (said) => {
      line = said.trim()
      reader.close()
    })
  })
}
