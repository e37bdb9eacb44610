import type { Io } from '../../io.ts'
import { formatDuration } from '../../output/numbers.ts'
import { readLine } from '../../run/ask-line.ts'
import { handleStopSignals } from '../../run/handle-stop-signals.ts'

/** The user, if there is one, and how they cancel. */
export interface TerminalUser {
  /** Aborts on Ctrl-C, and when the process is asked to end. */
  readonly signal: AbortSignal
  /** Undefined without a terminal. */
  confirm(question: string): Promise<boolean | undefined>
  /** Shows progress. */
  progress(what: string): { end(said?: string): void }
  leave(): void
}

export function createTerminalUser(io: Io, json: boolean): TerminalUser {
  const stopper = new AbortController()
  const giveBack = handleStopSignals(
    () => stopper.abort(),
    () => process.exit(130),
  )
  const isThere = !json && io.stdin.isTTY === true && io.stdout.isTTY
  return {
    signal: stopper.signal,
    leave: giveBack,
    async confirm(question) {
      if (!isThere) return undefined
      const said = await readLine(io, question, {
        signal: stopper.signal,
        interrupt: () => stopper.abort(),
      })
      return /^y(?:es)?$/i.test(said ?? '')
    },
    progress(what) {
      if (json) return { end: () => {} }
      if (!isThere) {
        io.stdout.write(`${what} …\n`)
        return { end: (said) => void (said !== undefined && io.stdout.write(`${said}\n`)) }
      }
      const started = Date.now()
      const paint = () => void io.stdout.write(`\r${what} … ${formatDuration(Date.now() - started)} `)
      paint()
      const timer = setInterval(paint, 1000)
      return {
        end(said) {
          clearInterval(timer)
          io.stdout.write(said === undefined ? '\n' : `\n${said}\n`)
        },
      }
    },
  }
}
