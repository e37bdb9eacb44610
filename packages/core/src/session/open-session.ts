import type { Account } from '../budget/budget.ts'
import type { Entry, EventEntry } from '../ports/entry.ts'
import { Suspended } from '../ports/errors.ts'
import type { EventBody } from '../ports/events.ts'
import type { Gate, JudgedCall } from '../ports/gate.ts'
import type { JsonObject } from '../ports/json.ts'
import type { Model, ModelResolution } from '../ports/model.ts'
import type { Ports } from '../ports/ports.ts'
import { noUsage, type Report } from '../ports/report.ts'
import type { SessionSpec, Work } from '../ports/session-spec.ts'
import { readCall, readInput } from '../rules/create-gate.ts'
import { resumeBackground } from '../tree/delegate.ts'
import { fallbackFor, fallbackMessage } from '../tree/resolve-model.ts'
import type { Tree } from '../tree/tree.ts'
import { settledEvent, startedEvent } from '../view/entry-events.ts'
import { toolsetOf } from '../vocabulary/toolset.ts'
import { earlierRuns } from './earlier-runs.ts'
import { shouldWake } from './mail.ts'
import { addContext, notifyHandlers } from './notify-handlers.ts'
import { permittedEffects } from './permitted-effects.ts'
import { recordFirstEntries } from './record-first-entries.ts'
import { recordMessage } from './record-message.ts'
import { notice, noUnreportedWork, record, requireOwnership, type Session } from './session.ts'
import type { SessionState } from './session-state.ts'
import { settleOpenCalls } from './settle-open-calls.ts'
import { foldEntries, openCalls, startedCalls } from './state.ts'

/** What the loop needs besides the session itself. */
export interface SessionHost {
  readonly ports: Ports
  readonly gate: Gate
  tree(spec: SessionSpec): Tree
  /** The account of a session, including past spending; `undefined` when no budget applies. */
  account(spec: SessionSpec): Promise<Account | undefined>
  emit(session: string, body: EventBody): void
  /** Returns true if an ended session should continue. */
  continues(spec: SessionSpec, state: SessionState): boolean
  /** Returns the new work for a resumed session. Each is returned once. */
  updates(spec: SessionSpec): SessionUpdates | undefined
  /** Returns the messages sent to a running session, in order. Each is returned once. */
  messages(session: string): readonly QueuedMessage[]
  /** Returns whether the session has undelivered messages. */
  hasMessages(session: string): boolean
}

/** A message to a running session. */
export interface QueuedMessage {
  readonly work: Work
  /** Called with whether the message was recorded. */
  readonly settle: (isRecorded: boolean) => void
}

export interface SessionUpdates {
  readonly work: Work
  /** True if the session does not continue calls that a stop left open. */
  readonly leavesCalls: boolean
}

export type OpenedSession =
  | { readonly kind: 'running'; readonly session: Session }
  | { readonly kind: 'ended'; readonly report: Report }

/** Opens the journal, restores the state, and waits for a free slot. Rejects if the journal cannot be opened. */
export async function openSession(wanted: SessionSpec, host: SessionHost): Promise<OpenedSession> {
  const { ports } = host
  let spec = wanted
  const tree = host.tree(spec)
  const wasHere = tree.hasEntered(spec.id)
  const node = tree.enter(spec)
  const ended = (report: Report): OpenedSession => {
    tree.leave(spec, node)
    return { kind: 'ended', report }
  }
  const refuse = (code: string, message: string) => {
    const report = unstarted(spec, code, message)
    host.emit(spec.id, { type: 'session.ended', report })
    return ended(report)
  }
  const refusal = ports.refuse?.(spec)
  if (refusal !== undefined) return refuse(refusal.code, refusal.message)
  const { resolution, ...used } = await withModel(spec, ports)
  spec = used.spec
  if (resolution.kind === 'unknown') return refuse(resolution.code ?? 'unknown_model', resolution.reason)
  let run: Session['run']
  try {
    run = await ports.engine.open(spec)
  } catch (error) {
    // An agent cannot work around an unreadable or unwritable journal. The run stops, and can be resumed after the repair.
    tree.leave(spec, node)
    throw error
  }
  tree.follow(run.lost)
  const state = foldEntries(run.recorded, spec.id)
  // The sessions of a teammate that was open in this process before are already counted.
  if (!wasHere) tree.count(spec.id, state.sessions)
  if (state.ended !== undefined && !host.continues(spec, state) && !shouldWake(spec, state, ports))
    return ended(state.ended)
  const session = createSession(spec, host, { tree, node, run, state, model: resolution.model })
  // `news` returns it only once.
  const news = host.updates(spec)
  announce(session, news?.work.content)
  try {
    node.account = await host.account(spec)
    await takeSlot(session)
    await begin(session, news)
    if (state.background.size > 0) resumeBackground(session, await backgroundCalls(session))
  } catch (error) {
    // The journal cannot be written. Release the session unchanged, so that it can be resumed later.
    if (session.holdsSlot) tree.slots.give()
    tree.leave(spec, node)
    requireOwnership(session)
    const questions = error instanceof Suspended ? error.questions : []
    await run.end({ kind: 'suspended', questions }).catch(() => {})
    throw error
  }
  const { timeLimit } = spec.limits
  if (timeLimit !== undefined)
    node.limitTime(timeLimit, timeLimit - activeTime(spec.team ? pieceOfWork(run.recorded) : run.recorded))
  return { kind: 'running', session }
}

/**
 * A session that is resumed after its model has disappeared continues on the default model, if its agent named the model. A model that a
 * person chose is not replaced.
 */
async function withModel(
  spec: SessionSpec,
  ports: Ports,
): Promise<{ readonly spec: SessionSpec; readonly resolution: ModelResolution }> {
  const resolution = await ports.models.resolve(spec.model)
  if (resolution.kind === 'found' || !spec.agent.models?.length) return { spec, resolution }
  const fallback = await fallbackFor(ports, { ...resolution, name: spec.model })
  if (fallback === undefined) return { spec, resolution }
  const { id: model, insteadOf } = fallback
  return {
    spec: { ...spec, model, ...(insteadOf && { insteadOf }) },
    resolution: await ports.models.resolve(model),
  }
}

type SessionParts = Pick<Session, 'tree' | 'node' | 'run' | 'state'> & { model: Model }

export function createSession(
  spec: SessionSpec,
  host: SessionHost,
  { tree, node, run, state, model }: SessionParts,
): Session {
  const toolset = toolsetOf({
    agent: spec.agent,
    tools: host.ports.tools,
    targets: spec.targets,
    completion: spec.completion,
    team: spec.team,
  })
  return {
    spec,
    ports: host.ports,
    gate: host.gate,
    tree,
    node,
    run,
    model,
    toolset,
    permits: permittedEffects(spec, toolset),
    systemPrompt: spec.systemPrompt,
    state,
    inherited: startedCalls(state),
    heldNow: new Set(),
    readsOnly: new Set(),
    read: new Map(),
    background: new Map(),
    teammates: undefined,
    left: noUnreportedWork,
    holdsSlot: false,
    hasMessages: () => host.hasMessages(spec.id),
    emit: (body) => host.emit(spec.id, body),
  }
}

function announce({ spec, state, run, emit }: Session, message: string | undefined): void {
  const resumed = run.recorded.length > 0
  const open = openCalls(state).map(({ call: { id, function: f }, started }) => ({
    id,
    name: f.name,
    input: f.arguments,
    // The next round starts only when all of them have a result.
    round: state.round,
    ...(started && { startedAt: started.timestamp }),
  }))
  emit({
    ...startedEvent(spec, resumed),
    ...(resumed && message !== undefined && { message }),
    ...(resumed && open.length > 0 && { open }),
    ...(resumed && { earlier: earlierRuns(run.recorded, spec) }),
  })
}

/** An entry session needs no slot: only delegated sessions are limited. */
async function takeSlot(session: Session): Promise<void> {
  if (session.spec.depth === 0) return
  const { slots } = session.tree
  session.holdsSlot = slots.tryTake()
  if (session.holdsSlot) return
  session.emit({ type: 'session.queued' })
  session.holdsSlot = await slots.take(session.node.signal)
  session.emit({ type: 'session.unqueued' })
}

async function begin(session: Session, news: SessionUpdates | undefined): Promise<void> {
  const { run } = session
  if (run.recorded.length === 0) {
    const start = await notifyHandlers(session, { kind: 'session.started', source: 'startup' })
    await noticeUnisolated(session)
    await noticeFallback(session)
    await recordFirstEntries(session)
    if (news !== undefined) await recordMessage(session, news.work)
    return addContext(session, start?.context)
  }
  const entries = await record(session, `resume/${run.recorded.length}`, async () => {
    const left = news?.leavesCalls ? await settleOpenCalls(session) : []
    return [{ role: 'event', type: 'session.resumed' }, ...left]
  })
  for (const entry of entries) if (entry.role === 'tool_result') session.emit(settledEvent(entry))
  await noticeFallback(session)
  const inDoubt = await startedEffects(session)
  const doubts = inDoubt.length > 0 && { inDoubt }
  const start = await notifyHandlers(session, { kind: 'session.started', source: 'resume', ...doubts })
  if (news !== undefined) await recordMessage(session, news.work)
  await addContext(session, start?.context)
}

/** Adds a notice if a session should have been isolated but is not. */
async function noticeUnisolated(session: Session): Promise<void> {
  const { isolation, id, agent } = session.spec
  if (isolation?.kind !== 'missing' || isolation.session !== id) return
  const what = `${agent.name} could not get its own workspace: ${isolation.reason}`
  await notice(session, 'isolation', `${what}. Every change by this agent or its subagents needs an approval`)
}

/** Another model can cost more or be less capable than the requested one, so a notice reports it. */
async function noticeFallback(session: Session): Promise<void> {
  const { insteadOf, agent, model } = session.spec
  if (insteadOf !== undefined) await notice(session, 'model', fallbackMessage(agent.name, model, insteadOf))
}

async function startedEffects(session: Session): Promise<string[]> {
  const begun = openCalls(session.state).filter(({ started, finished }) => started && !finished)
  const reads = await Promise.all(begun.map(({ call }) => readCall(call, session.spec, session.toolset)))
  return reads.flatMap((read) =>
    read.kind === 'ready' && read.judged.tool.effect !== 'read' ? [read.judged.call.id] : [],
  )
}

/** Records the messages that were sent to a running session. */
export async function recordMessages(session: Session, messages: readonly QueuedMessage[]): Promise<void> {
  for (const { work, settle } of messages) {
    let isRecorded = false
    try {
      await recordMessage(session, work)
      isRecorded = true
      session.emit({ type: 'message.added', from: work.from ?? 'person', text: work.content })
    } finally {
      settle(isRecorded)
    }
  }
}

async function backgroundCalls(session: Session): Promise<Map<string, JudgedCall>> {
  const { recorded } = session.run
  const calls = new Map<string, JudgedCall>()
  for (const call of recorded.flatMap((entry) => (entry.role === 'assistant' && entry.tool_calls) || [])) {
    if (!session.state.background.has(call.id)) continue
    const read = await readCall(call, session.spec, session.toolset)
    if (read.kind !== 'ready') continue
    const input = decidedInput(recorded, call.id)
    const decided = input === undefined ? read : await readInput(read.judged, input)
    if (decided.kind === 'ready') calls.set(call.id, decided.judged)
  }
  return calls
}

/** Returns the arguments of the decision about a call, if a rule changed the model's. */
function decidedInput(recorded: readonly Entry[], call: string): JsonObject | undefined {
  const started = recorded.findLast(
    (entry) => entry.role === 'event' && entry.type === 'call.started' && entry.call === call,
  )
  return (started as EventEntry | undefined)?.['input'] as JsonObject | undefined
}

/** The time limit of a teammate applies to each piece of work: the entries since its last end. */
function pieceOfWork(entries: readonly Entry[]): readonly Entry[] {
  const last = entries.findLastIndex((entry) => entry.role === 'event' && entry.type === 'session.ended')
  return entries.slice(last + 1)
}

/** Milliseconds that the session was active in earlier lives: neither stopped nor waiting for a person. */
function activeTime(entries: readonly Entry[]): number {
  let active = 0
  let last: number | undefined
  for (const entry of entries) {
    const at = Date.parse(entry.timestamp)
    const idle =
      entry.role === 'event' && (entry.type === 'session.resumed' || entry.type === 'person.answered')
    if (last !== undefined && !idle && at > last) active += at - last
    last = at
  }
  return active
}

function unstarted(spec: SessionSpec, code: string, message: string): Report {
  return {
    type: 'report',
    session: spec.id,
    agent: spec.agent.name,
    status: 'error',
    text: '',
    model: spec.model,
    usage: noUsage,
    sessions: 0,
    calls: 0,
    notices: [{ code, message }],
  }
}
