import { CadreError } from '@cadre/core'
import { requestCancel } from '@cadre/home'
import { openTrustedSessions } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'

/** How long the process that runs the session may take to accept the request. */
const timeoutMs = 10_000

/** `cadre sessions cancel`. */
export async function cancelSession(
  io: Io,
  flags: { readonly home?: string; readonly trust?: boolean; readonly json?: boolean },
  beginning: string,
): Promise<ExitCode> {
  const sessions = await openTrustedSessions(io, flags)
  const id = await sessions.find(beginning)
  const { spec, status, outcome } = await sessions.read(id)
  const isRunning = () => sessions.owner(spec.root) !== undefined
  const ended = status === 'completed' || status === 'error'
  const tell = (cancelled: boolean, sentence: string) => {
    if (flags.json)
      io.stdout.write(`${JSON.stringify({ type: 'cancel', session: id, cancelled, message: sentence })}\n`)
    else io.stdout.write(`${sentence}\n`)
    return exitCodes.done
  }
  const resume = `cadre resume ${id}${repeatedFlags(flags)}`
  if (ended) return tell(false, `Session ${id} is not running: it has already ended (${outcome ?? status}).`)
  if (!isRunning())
    return tell(false, `Session ${id} is not running in any process. Resume it with "${resume}".`)
  const answer = await requestCancel(
    { home: sessions.home, session: id, isRunning },
    AbortSignal.timeout(timeoutMs),
  )
  if (answer === 'taken')
    return tell(true, `Cancelling session ${id}.${spec.root === id ? ` Resume it with "${resume}".` : ''}`)
  if (!isRunning()) return tell(false, `Session ${id} is no longer running.`)
  const { pid } = sessions.owner(spec.root) ?? {}
  throw new CadreError(
    'timeout',
    `process ${pid} runs session ${id} and did not respond within ${timeoutMs / 1000} seconds. Try again, or stop the whole run with: kill ${pid}`,
  )
}
