import { CadreError, isEndedStatus } from '@cadre/core'
import { requestCancel } from '@cadre/home'
import { readProjected } from '@cadre/journal'
import { openTrustedSessions } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import { withDaemonHint } from '../engine/daemon-hint.ts'
import { cancelOnWorker, workerTimeoutMs } from './cancel-on-worker.ts'
import { cancelStart, findStart } from './cancel-start.ts'

/** How long the process that runs the session may take to accept the request. */
const timeoutMs = 10_000
const sendsIt = 'The request is stored, and "cadre up" sends it.'

/** `cadre sessions cancel`. */
export async function cancelSession(
  io: Io,
  flags: { readonly home?: string; readonly trust?: boolean; readonly json?: boolean },
  beginning: string,
): Promise<ExitCode> {
  const sessions = await openTrustedSessions(io, flags)
  const start = await findStart(io, sessions, beginning)
  if (start !== undefined) {
    const { session } = start
    const isQueued = (await cancelStart(io, sessions, start)) === 'queued'
    const message = isQueued
      ? `Session ${session} will be cancelled when its worker and the Restate server answer, because they may already have its start. ${sendsIt}`
      : `Session ${session} was cancelled.`
    return tellCancel(session, true, message, isQueued ? { queued: true } : {})
  }
  const id = await withDaemonHint(io, sessions.home, () => sessions.find(beginning))
  const stored = await sessions.read(id)
  const { spec, status, outcome } = stored
  const isRunning = () => sessions.owner(spec.root) !== undefined
  const ended = isEndedStatus(status)
  const tell = (cancelled: boolean, message: string, more: object = {}) =>
    tellCancel(id, cancelled, message, more)
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
      case 'stored':
        return tell(true, `Session ${id} will be cancelled later: ${result.reason} ${sendsIt}`, {
          queued: true,
        })
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

  function tellCancel(session: string, cancelled: boolean, message: string, more: object): ExitCode {
    if (flags.json)
      io.stdout.write(`${JSON.stringify({ type: 'cancel', session, cancelled, ...more, message })}\n`)
    else io.stdout.write(`${message}\n`)
    return exitCodes.done
  }
}
