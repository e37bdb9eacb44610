import { ask } from './ask.ts'
import { attend } from './attend.ts'
import { buildReport, type Ending } from './build-report.ts'
import { conclude } from './conclude.ts'
import { CadreError, messageOf, Suspended } from './errors.ts'
import { type Host, hearMessages, openSession } from './open-session.ts'
import type { Report } from './report.ts'
import { leaveBehind, record, type Session, takeUpChanges } from './session.ts'
import type { SessionSpec } from './session-spec.ts'
import { settleReply } from './settle.ts'
import { nextMove, startedCalls } from './state.ts'
import type { StopReason } from './tree.ts'
import type { Settled } from './workspaces.ts'

/**
 * The one loop: entry sessions, delegates and resumed ones. It asks the model, settles the calls of the reply, and repeats
 * until the completion contract of the session is met. What comes next is read off the record each time, so a session that
 * was interrupted anywhere goes on from there. Once it is open it never rejects, except with `Suspended` while a person is
 * awaited.
 */
export async function runSession(spec: SessionSpec, host: Host): Promise<Report> {
  const opened = await openSession(spec, host)
  if (opened.kind === 'ended') return opened.report
  const { session } = opened
  try {
    for (;;) {
      takeUpChanges(session)
      await hearMessages(session, host.messages(spec.id))
      const stopped = stopEnding(session) ?? stoppedFromOutside(session)
      if (stopped !== undefined) return await endSession(session, stopped)
      if (host.isPausing() && !hasBegunCalls(session)) throw new Suspended([])
      const ending = await move(session)
      // What was said to it meanwhile is heard before it ends.
      if (ending === undefined || session.node.signal.aborted || host.hasMessages(spec.id)) continue
      if (isAskedAgain(session)) continue
      const report = await endSession(session, ending, isAskedAgain)
      if (report !== undefined) return report
    }
  } catch (error) {
    if (!(error instanceof Suspended)) return await endSession(session, failed(session, error))
    // A stop counts more than an open question: the record keeps the question either way.
    const stopped = stopEnding(session)
    if (stopped !== undefined) return await endSession(session, stopped)
    await stopBackground(session)
    await session.run.end({ kind: 'suspended', questions: error.questions })
    session.emit({ type: 'session.suspended', questions: error.questions })
    throw error
  } finally {
    if (session.holdsSlot) session.tree.slots.give()
    session.tree.leave(spec)
  }
}

/** Their start is recorded, with the reply they are in, and they run next: at rest now, they would be in doubt. */
function hasBegunCalls({ state, inherited }: Session): boolean {
  return [...startedCalls(state)].some((call) => !inherited.has(call))
}

async function move(session: Session): Promise<Ending | undefined> {
  switch (nextMove(session.state)) {
    case 'ask':
      return ask(session)
    case 'settle':
      await settleReply(session)
      return undefined
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
    notices: [{ code: 'timeout', message: `took longer than the ${seconds} seconds it may take` }],
  }
}

/** Not before the calls of its reply are settled: what was begun has an outcome. */
function stoppedFromOutside({ state }: Session): Ending | undefined {
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

/** A person has written into the record while the last reply was judged: it must not end with that unanswered. */
function isAskedAgain(session: Session): boolean {
  return takeUpChanges(session) && nextMove(session.state) === 'ask'
}

function endSession(session: Session, ending: Ending): Promise<Report>
function endSession(
  session: Session,
  ending: Ending,
  goesOn: (session: Session) => boolean,
): Promise<Report | undefined>
/**
 * Never rejects, whatever fails on the way: the session is given back in any case. Nothing back when something came in with
 * the writing of the end, so that it `goesOn`.
 */
async function endSession(
  session: Session,
  ending: Ending,
  goesOn: (session: Session) => boolean = () => false,
): Promise<Report | undefined> {
  const { node } = session
  // Of a session that failed, children are only interrupted: when it is resumed, they go on.
  await stopBackground(session, { kind: 'cancelled', by: ending.status === 'error' ? 'run' : 'parent' })
  const report = buildReport(session, await withPlace(session, ending))
  const by = node.reason?.kind === 'cancelled' && report.status === 'cancelled' ? node.reason.by : undefined
  let isRecorded = false
  try {
    if (report.status === 'error') {
      const { code, message } = report.notices?.at(-1) ?? { code: 'agent_execution', message: 'it failed' }
      await attend(session, { kind: 'error.occurred', code, message })
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
    if (goesOn(session)) return undefined
    await session.run.end({ kind: 'ended', outcome: report.status })
  } catch (error) {
    // The report is still true; that it could not be written down is part of it.
    const notice = {
      code: 'corrupt',
      message: `the end of the session could not be recorded: ${messageOf(error)}`,
    }
    const unrecorded = { ...report, notices: [...(report.notices ?? []), notice] }
    // As far as its record goes it has not ended: it is given back, so that it can go on.
    if (!isRecorded) await session.run.end({ kind: 'suspended', questions: [] }).catch(() => {})
    session.emit({ type: 'session.ended', report: unrecorded })
    return unrecorded
  }
  session.emit({ type: 'session.ended', report })
  await attend(session, { kind: 'session.ended', report })
  return report
}

/** With where its changes are, if they are not where everybody looks. The code of the last notice is why it ended. */
async function withPlace({ spec, ports }: Session, ending: Ending): Promise<Ending> {
  const { isolation } = spec
  if (isolation?.kind !== 'own' || isolation.session !== spec.id || isolation.base === spec.workspace)
    return ending
  const settled = await settledPlace(ports, spec, ending.status)
  if (settled === undefined) return ending
  const notice = { code: 'workspace', message: settled.message }
  const notices = ending.notices ?? []
  // Work that is not where it belongs is not done.
  if (settled.isMissing && ending.status === 'completed')
    return { ...ending, status: 'incomplete', notices: [...notices, notice] }
  return { ...ending, notices: [notice, ...notices] }
}

async function settledPlace(
  { workspaces }: Session['ports'],
  spec: SessionSpec,
  status: Report['status'],
): Promise<Settled | undefined> {
  try {
    return await workspaces?.settle(spec, status)
  } catch (error) {
    return { message: `Its workspace could not be settled: ${messageOf(error)}`, isMissing: true }
  }
}

/** No session ends while children it started still run. */
async function stopBackground(session: Session, reason?: StopReason): Promise<void> {
  const children = [...session.background.values()]
  if (reason !== undefined) {
    for (const { child } of children) session.tree.node(child)?.stop(session.node.reason ?? reason)
  }
  const ends = await Promise.allSettled(children.map(({ report }) => report))
  for (const end of ends) if (end.status === 'fulfilled') leaveBehind(session, end.value)
}
