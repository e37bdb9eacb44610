import { CadreError, isEndedStatus } from '@cadre/core'
import { requestCancel } from '@cadre/home'
import { readProjected } from '@cadre/journal'
import { openTrustedSessions } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import { withDaemonHint } from '../engine/daemon-hint.ts'
import { cancelOnWorker, workerTimeoutMs } from './cancel-on-worker.ts'

/** How long the process that runs the session may take to accept the request. */
const timeoutMs = 10_000

/** `cadre sessions cancel`. */
export async function cancelSession(
  io: Io,
  flags: { readonly home?: string; readonly trust?: boolean; readonly json?: boolean },
  beginning: string,
): Promise<ExitCode> {
  const sessions = await openTrustedSessions(io, flags)
  const id = await withDaemonHint(io, sessions.home, () => sessions.find(beginning))
  const stored = await sessions.read(id)
  const { spec, status, outcome } = stored
  const isRunning = () => sessions.owner(spec.root) !== undefined
  const ended = isEndedStatus(status)
  const tell = (cancelled: boolean, message: string, more: object = {}) => {
    if (flags.json)
      io.stdout.write(`${JSON.stringify({ type: 'cancel', session: id, cancelled, ...more, message })}\n`)
    else io.stdout.write(`${message}\n`)
    return exitCodes.done
  }
  const resume = `cadre resume ${id}${repeatedFlags(flags)}`
  const tellEnded = (how: string) =>
    tell(false, `Session ${id} is not running: it has already ended (${how}).`)
  if (ended) return tellEnded(outcome ?? status)
  const place = readProjected(sessions.home, id)?.place
  if (place !== undefined) {
    const result = await cancelOnWorker(io, sessions, stored, place)
    switch (result.kind) {
      case 'ended':
        return tellEnded(result.outcome)
      case 'cancelled':
        return tell(true, `Session ${id} was cancelled.`)
      case 'sent':
        return tell(true, `Cancelling session ${id}.`)
      case 'queued':
        return tell(
          true,
          `Session ${id} will be cancelled when a worker of place ${place} is running: none answered within ${workerTimeoutMs / 1000} seconds. The Restate server has stored the request. Start a worker with "cadre worker".`,
          { queued: true },
        )
    }
  }
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
