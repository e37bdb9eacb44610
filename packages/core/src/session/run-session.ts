import { CadreError, messageOf, Suspended } from '../ports/errors.ts'
import type { Report } from '../ports/report.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import type { SettledWorkspace } from '../ports/workspaces.ts'
import { Teammates } from '../tree/teammates.ts'
import type { StopReason } from '../tree/tree.ts'
import { ask } from './ask.ts'
import { buildReport, type Ending } from './build-report.ts'
import { conclude } from './conclude.ts'
import { hasTeamMessages, hasUnrecordedMessages, recordMail } from './mail.ts'
import { notifyHandlers } from './notify-handlers.ts'
import { openSession, recordMessages, type SessionHost } from './open-session.ts'
import {
  addUnreportedWork,
  applyEdits,
  noUnreportedWork,
  record,
  requireOwnership,
  type Session,
} from './session.ts'
import { settleReply } from './settle.ts'
import { nextMove, startedCalls } from './state.ts'

/**
 * The loop of every session: entry, delegated or resumed. It asks the model, settles the calls of the reply, and repeats until the
 * completion contract of the session is met. It derives each next move from the record, so an interrupted session continues where
 * it stopped. Once the session is open, this rejects only with `Suspended`, while the session waits for a person or is paused, and with
 * `owned` when this life of the session is lost.
 */
export async function runSession(spec: SessionSpec, host: SessionHost): Promise<Report> {
  const opened = await openSession(spec, host)
  if (opened.kind === 'ended') return opened.report
  const { session } = opened
  try {
    for (;;) {
      applyEdits(session)
      const messages = host.messages(spec.id)
      if (messages.length > 0) await recordMessages(session, messages)
      if (hasTeamMessages(session)) await recordMail(session)
      requireOwnership(session)
      const stopped = stopEnding(session) ?? externalStop(session)
      if (stopped !== undefined) return await endSession(session, stopped)
      if (session.tree.isPausing && !hasBegunCalls(session)) throw new Suspended([])
      if (Teammates.isLead(session)) await Teammates.attend(session)
      const ending = await move(session)
      // Messages that arrived in the meantime are read before the session ends.
      if (ending === undefined || session.node.signal.aborted || hasUnrecordedMessages(session)) continue
      if (wasEditedDuringReview(session)) continue
      const report = await endSession(session, ending, wasEditedDuringReview)
      if (report !== undefined) return report
    }
  } catch (error) {
    if (session.tree.isLost) await stopBackground(session)
    requireOwnership(session)
    if (!(error instanceof Suspended)) return await endSession(session, failed(session, error))
    // A stop takes precedence over an open question; the record keeps the question either way.
    const stopped = stopEnding(session)
    if (stopped !== undefined) return await endSession(session, stopped)
    await stopBackground(session)
    requireOwnership(session)
    const stoppedMeanwhile = stopEnding(session)
    if (stoppedMeanwhile !== undefined) return await endSession(session, stoppedMeanwhile)
    session.node.suspend()
    await session.run.end({ kind: 'suspended', questions: error.questions })
    session.emit({ type: 'session.suspended', questions: error.questions.map(({ name }) => name) })
    throw error
  } finally {
    session.model.release?.(spec.id)
    if (session.holdsSlot) session.tree.slots.give()
    session.tree.leave(spec, session.node)
  }
}

/** Their start is recorded together with the reply, and they run next. Suspending the session first would leave them in doubt. */
function hasBegunCalls({ state, inherited }: Session): boolean {
  return [...startedCalls(state)].some((call) => !inherited.has(call))
}

function move(session: Session): Promise<Ending | undefined> {
  switch (nextMove(session.state)) {
    case 'ask':
      return ask(session)
    case 'settle':
      return settleReply(session)
    case 'conclude':
      return conclude(session)
  }
}

function stopEnding(session: Session): Ending | undefined {
  const { reason } = session.node
  const text = session.state.lastText
  if (reason === undefined) return undefined
  if (reason.kind === 'cancelled') return { status: 'cancelled', text }
  const seconds = Math.round(reason.limit / 1000)
  return {
    status: 'error',
    text,
    notices: [{ code: 'timeout', message: `exceeded the time limit of ${seconds} seconds` }],
  }
}

/** Only after the calls of the last reply are settled, so that every started call has an outcome. */
function externalStop({ state }: Session): Ending | undefined {
  if (state.stopped === undefined || state.unsettled > 0) return undefined
  const { status, code, reason } = state.stopped
  return { status, text: state.lastText, notices: [{ code, message: reason }] }
}

function failed(session: Session, error: unknown): Ending {
  const code = error instanceof CadreError ? error.code : 'agent_execution'
  return {
    status: 'error',
    text: session.state.lastText,
    notices: [{ code, message: messageOf(error) }],
  }
}

/** A person edited the record while the last reply was judged. The session must answer before it ends. */
function wasEditedDuringReview(session: Session): boolean {
  return applyEdits(session) && nextMove(session.state) === 'ask'
}

function endSession(session: Session, ending: Ending): Promise<Report>
function endSession(
  session: Session,
  ending: Ending,
  shouldContinue: (session: Session) => boolean,
): Promise<Report | undefined>
/**
 * Releases the session even if a step fails: it rejects only when this life is lost. Returns `undefined` when `goesOn` finds new
 * input after the end was recorded, so that the session continues.
 */
async function endSession(
  session: Session,
  ending: Ending,
  shouldContinue: (session: Session) => boolean = () => false,
): Promise<Report | undefined> {
  const { node } = session
  // Children of a failed session are only interrupted, so that they continue when it is resumed.
  await stopBackground(session, { kind: 'cancelled', by: ending.status === 'error' ? 'run' : 'parent' })
  requireOwnership(session)
  const report = buildReport(session, await withWorkspaceNotice(session, ending))
  const by = node.reason?.kind === 'cancelled' && report.status === 'cancelled' ? node.reason.by : undefined
  let isRecorded = false
  try {
    if (report.status === 'error') {
      const { code, message } = report.notices?.at(-1) ?? {
        code: 'agent_execution',
        message: 'the session failed',
      }
      await notifyHandlers(session, { kind: 'error.occurred', code, message })
    }
    await record(session, `end/${session.state.seq}`, () => [
      {
        role: 'event',
        type: 'session.ended',
        report: JSON.parse(JSON.stringify(report)),
        ...(by && { cancelled_by: by }),
      },
    ])
    isRecorded = true
    if (shouldContinue(session)) {
      // The session ends again later, and counts its teammates then.
      session.left = noUnreportedWork
      return undefined
    }
    await session.run.end({ kind: 'ended', outcome: report.status })
  } catch (error) {
    requireOwnership(session)
    // The report is still valid. Add that its end could not be recorded.
    const notice = {
      code: 'corrupt',
      message: `cannot record the end of the session: ${messageOf(error)}`,
    }
    const unrecorded = { ...report, notices: [...(report.notices ?? []), notice] }
    // The end is not recorded, so release the session to be resumed later.
    if (!isRecorded) await session.run.end({ kind: 'suspended', questions: [] }).catch(() => {})
    session.emit({ type: 'session.ended', report: unrecorded })
    return unrecorded
  }
  const spent = session.state.spending.charged
  session.emit({ type: 'session.ended', report, ...(spent && { spent }) })
  await notifyHandlers(session, { kind: 'session.ended', report })
  return report
}

/** Adds where its changes are, if they are not in the shared folder. Keeps the notice with the reason for the end last. */
async function withWorkspaceNotice({ spec, ports }: Session, ending: Ending): Promise<Ending> {
  const { isolation } = spec
  const isOwn =
    isolation?.kind === 'own' && isolation.session === spec.id && isolation.base !== spec.workspace
  if (!isOwn && spec.parent !== undefined) return ending
  const settled = await settleWorkspace(ports, spec, ending.status)
  if (settled === undefined) return ending
  const notice = { code: 'workspace', message: settled.message }
  const notices = ending.notices ?? []
  // Work whose changes were not merged is not complete.
  if (settled.isMissing && ending.status === 'completed')
    return { ...ending, status: 'incomplete', notices: [...notices, notice] }
  return { ...ending, notices: [notice, ...notices] }
}

async function settleWorkspace(
  { workspaces }: Session['ports'],
  spec: SessionSpec,
  status: Report['status'],
): Promise<SettledWorkspace | undefined> {
  try {
    return await workspaces?.settle(spec, status)
  } catch (error) {
    return { message: `cannot merge or remove its workspace: ${messageOf(error)}`, isMissing: true }
  }
}

/** A session ends only after the children it started have stopped. */
async function stopBackground(session: Session, reason?: StopReason): Promise<void> {
  const children = [...session.background.values()]
  if (reason !== undefined) {
    for (const { child } of children) session.tree.node(child)?.stop(session.node.reason ?? reason)
  }
  const ends = await Promise.allSettled(children.map(({ report }) => report))
  for (const end of ends) if (end.status === 'fulfilled') addUnreportedWork(session, end.value)
  const { teammates } = session
  session.teammates = undefined
  for (const report of (await teammates?.stop(reason)) ?? []) addUnreportedWork(session, report)
}
