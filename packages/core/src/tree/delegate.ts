import { budgetNoticesInSubtree } from '../budget/budget-notices.ts'
import { CadreError } from '../ports/errors.ts'
import type { JudgedCall } from '../ports/gate.ts'
import type { Report } from '../ports/report.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import type { Outcome } from '../session/perform.ts'
import { delegatedWork } from '../session/prompt.ts'
import { addUnreportedWork, type Session } from '../session/session.ts'
import { isBlank } from '../text/is-blank.ts'
import { buildSessionSpec } from './build-session-spec.ts'
import { type Delegation, readDelegation } from './delegation.ts'
import { isolateSession, isParallel, sharedPlace } from './isolate.ts'

/** Starts a child session, or re-attaches to it, and waits for its report unless it runs in the background. */
export async function delegate(session: Session, judged: JudgedCall): Promise<Outcome | undefined> {
  const delegation = readDelegation(judged.tool, judged.input)
  // As recorded when the call was allowed: the agent's file may have changed since.
  if (session.state.background.has(judged.call.id)) {
    startInBackground(session, judged.call.id, delegation)
    return {
      content: `Started ${delegation.target} (session ${childOf(session, judged.call.id)}). Its result follows when your turn ends.`,
    }
  }
  const report = await runChild(session, judged.call.id, delegation)
  // A stopped parent leaves the call open, so that the child continues when the run is resumed.
  if (report.status === 'cancelled' && session.node.signal.aborted) {
    addUnreportedWork(session, report)
    return undefined
  }
  return { ...outcomeFromReport(report), notices: budgetNoticesInSubtree(report) }
}

/** Returns whether the delegation runs in the background: the call requests it, or the agent always does. */
export function isBackground(session: Session, { tool, input }: JudgedCall): boolean {
  const { target, wait } = readDelegation(tool, input)
  return !wait || session.ports.agents.get(target)?.background === true
}

/** Resumes background children of an earlier life from the calls that started them. */
export function resumeBackground(session: Session, calls: ReadonlyMap<string, JudgedCall>): void {
  for (const call of session.state.background.keys()) {
    const judged = calls.get(call)
    if (judged !== undefined)
      startInBackground(session, call, readDelegation(judged.tool, judged.input), true)
  }
}

function startInBackground(
  session: Session,
  call: string,
  delegation: Delegation,
  wasStarted?: boolean,
): void {
  if (session.background.has(call)) return
  const report = runChild(session, call, delegation, wasStarted)
  // `collect` handles the rejection later. This prevents an unhandled rejection until then.
  report.catch(() => {})
  session.background.set(call, { child: childOf(session, call), report })
}

function childOf(session: Session, call: string): string {
  const id = session.state.calls.get(call)?.started?.child ?? session.state.background.get(call)
  if (id === undefined) throw new Error(`unreachable: delegation ${call} has no recorded child`)
  return id
}

/** `wasStarted`: an earlier life of this session started the child, so it may have a record. */
async function runChild(
  session: Session,
  call: string,
  delegation: Delegation,
  wasStarted = session.inherited.has(call),
): Promise<Report> {
  const id = childOf(session, call)
  let spec: SessionSpec
  try {
    const before = wasStarted ? await session.ports.engine.read(id) : undefined
    spec = before?.spec ?? (await childSpec(session, call, id, delegation))
  } catch (error) {
    // An unreadable journal must be repaired. Reporting a failed delegation to the agent would lose the child's work.
    if (!(error instanceof CadreError) || error.code === 'corrupt' || error.code === 'owned') throw error
    return failedStart(session, id, delegation.target, error)
  }
  const report = await session.run.spawn(spec)
  // An engine may run the child in another process. It counts here as well.
  if (!session.tree.hasEntered(id)) session.tree.count(report.session, report.sessions)
  return report
}

async function childSpec(
  session: Session,
  call: string,
  id: string,
  delegation: Delegation,
): Promise<SessionSpec> {
  const { spec, ports, tree, node } = session
  const agent = ports.agents.get(delegation.target)
  if (agent === undefined) throw new CadreError('delegation', `agent ${delegation.target} no longer exists.`)
  const reports = delegation.expectations !== undefined
  const parallel = isParallel(session, agent, session.state.background.has(call))
  const wanted = { id, root: spec.root, agent, shared: sharedPlace(spec), parallel }
  return buildSessionSpec(ports, tree.limits, {
    id,
    agent,
    parent: { spec, call },
    place: () => isolateSession(ports, wanted, node.signal),
    completion: reports ? 'report' : 'text',
    work: {
      content: reports ? delegatedWork(delegation.work, delegation.expectations as string) : delegation.work,
    },
    model: delegation.model,
    maxRounds: delegation.maxRounds,
    timeLimit: delegation.timeLimit,
  })
}

export function failedStart(session: Session, id: string, agent: string, error: CadreError): Report {
  return {
    type: 'report',
    session: id,
    agent,
    status: 'error',
    text: '',
    model: session.spec.model,
    usage: { input: 0, output: 0 },
    sessions: 0,
    calls: 0,
    notices: [{ code: error.code, message: error.message }],
  }
}

/** The outcome that the delegating agent sees. Only a completed report is a success. */
export function outcomeFromReport(report: Report): Outcome {
  const { usage, sessions, calls } = report
  const cost = { usage, sessions, calls }
  const notices = (report.notices ?? []).map((notice) => notice.message).join('; ')
  if (report.status === 'completed') {
    return {
      content: `Report of ${report.agent}:\n\n${report.text}${notices && `\n\n(${notices})`}`,
      ...cost,
    }
  }
  const said = isBlank(report.text) ? 'It had produced no text yet.' : `Its text so far:\n\n${report.text}`
  const why = notices === '' ? '' : `: ${notices}`
  const code = report.notices?.at(-1)?.code ?? 'agent_execution'
  if (report.status === 'cancelled')
    return {
      outcome: 'cancelled',
      code: 'cancelled',
      content: `${report.agent} was cancelled${why}. ${said}`,
      ...cost,
    }
  const word = report.status === 'incomplete' ? 'did not finish' : 'failed'
  return { outcome: 'failed', code, content: `${report.agent} ${word}${why}. ${said}`, ...cost }
}
