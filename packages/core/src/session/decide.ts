import type { Entry, EventDraft, WireCall } from '../ports/entry.ts'
import type { DecidedBy, JudgedCall, Verdict } from '../ports/gate.ts'
import type { JsonObject } from '../ports/json.ts'
import type { RuleName } from '../ports/rule-names.ts'
import { type ParsedCall, readCall, readInput } from '../rules/create-gate.ts'
import { teamStart } from '../tree/change-team.ts'
import { isBackground } from '../tree/delegate.ts'
import { readDelegation } from '../tree/delegation.ts'
import { judgedEvent } from '../view/entry-events.ts'
import { approvalsJson } from './approval-question.ts'
import { record, type Session } from './session.ts'
import type { CallState } from './session-state.ts'

/** Returns the calls that have no decision yet. */
export function undecidedCalls(open: readonly CallState[]): readonly WireCall[] {
  return open.filter(({ started, refused, held }) => !started && !refused && !held).map(({ call }) => call)
}

/** Judges these calls, and records the decisions. */
export async function decide(session: Session, fresh: readonly WireCall[]): Promise<void> {
  const reply = [...session.state.calls.values()].map(({ call }) => call)
  const entries = await record(
    session,
    `decide/${session.state.round}/${fresh[0]?.id}`,
    () => draftDecisions(session, fresh, reply),
    { durable: () => hasCallWithEffect(session, fresh) },
  )
  announceDecisions(session, entries)
}

const noCalls: ReadonlySet<string> = new Set()

/** Returns the decisions about these calls, in order. `reply`: all calls of their reply. */
export async function draftDecisions(
  session: Session,
  calls: readonly WireCall[],
  reply: readonly WireCall[],
): Promise<EventDraft[]> {
  const late = mayReport(session) ? await refuseAfterReport(session, reply) : noCalls
  const { immediate } = session.gate
  const drafts: EventDraft[] = []
  // Asynchronous rules judge all calls in parallel. Drafts and counts keep the order of the calls.
  const judging = immediate ? [] : calls.map((call) => judged(session, call, late.has(call.id)))
  for (const [index, call] of calls.entries()) {
    const one = judging[index] ?? judged(session, call, late.has(call.id))
    const decided = one instanceof Promise ? await one : one
    drafts.push(...draftsOf(session, recheckCounts(session, decided)))
  }
  return drafts
}

/** Emits an event for each decision. */
export function announceDecisions(session: Session, entries: readonly Entry[]): void {
  for (const entry of entries) {
    if (entry.role !== 'event') continue
    const known = session.state.calls.get(entry.call ?? '')?.call
    const judged = known && judgedEvent(entry, known, session.spec)
    if (judged !== undefined) session.emit(judged)
    if (entry.type !== 'call.started') continue
    session.emit({
      type: 'call.started',
      call: entry.call as string,
      tool: known?.function.name ?? '',
      ...(entry.child && { child: entry.child }),
    })
  }
}

export function hasCallWithEffect(session: Session, calls: readonly WireCall[]): boolean {
  return calls.some((call) => {
    const read = session.read.get(call.id)
    return read?.kind === 'ready' && read.judged.tool.effect !== 'read'
  })
}

/**
 * Reads a call once per life, with the arguments of the decision if a rule changed them. Synchronous if the call was read before, or if the
 * schema of its tool is.
 */
export function readCachedCall(session: Session, call: WireCall): ParsedCall | Promise<ParsedCall> {
  const known = session.read.get(call.id)
  if (known !== undefined) return known
  const read = readCall(call, session.spec, session.toolset)
  const { started, held } = session.state.calls.get(call.id) ?? {}
  const changed = (started ?? held)?.['input'] as JsonObject | undefined
  if (changed !== undefined || read instanceof Promise) return readLater(session, call, read, changed)
  session.read.set(call.id, read)
  return read
}

async function readLater(
  session: Session,
  call: WireCall,
  first: ParsedCall | Promise<ParsedCall>,
  changed: JsonObject | undefined,
): Promise<ParsedCall> {
  let read = await first
  if (read.kind === 'ready' && changed !== undefined) read = await readInput(read.judged, changed)
  session.read.set(call.id, read)
  return read
}

type Decided =
  | { readonly kind: 'draft'; readonly draft: EventDraft }
  | { readonly kind: 'verdict'; readonly judged: JudgedCall; readonly verdict: Verdict }

/** Synchronous if every rule is. */
function judged(session: Session, call: WireCall, late: boolean): Decided | Promise<Decided> {
  const read = readCachedCall(session, call)
  return read instanceof Promise
    ? read.then((known) => judgeRead(session, call, known, late))
    : judgeRead(session, call, read, late)
}

function judgeRead(
  session: Session,
  call: WireCall,
  read: ParsedCall,
  late: boolean,
): Decided | Promise<Decided> {
  const refused = (outcome: string, content: string, said: { by: DecidedBy; rule?: RuleName }): Decided => ({
    kind: 'draft',
    draft: { role: 'event', type: 'call.refused', call: call.id, outcome, ...said, content },
  })
  if (read.kind === 'failed') return refused('failed', read.reason, { by: 'tool' })
  if (read.kind === 'refused') {
    const { by, rule } = read
    return refused('refused', read.reason, { by, ...(rule && { rule }) })
  }
  if (late) return refused('cancelled', 'the report was already submitted before this call', { by: 'tool' })
  const said = session.gate.judge(read.judged, session.spec, session.node.signal)
  const decided = (verdict: Verdict): Decided => ({ kind: 'verdict', judged: read.judged, verdict })
  return said instanceof Promise ? said.then(decided) : decided(said)
}

/** Other calls, in this reply or in another session, may have been allowed since this one was judged. */
function recheckCounts(session: Session, decided: Decided): Decided {
  if (decided.kind !== 'verdict' || decided.verdict.kind === 'deny') return decided
  const over = session.gate.judgeCounts(decided.judged, session.spec, session.node.signal)
  return over === undefined ? decided : { ...decided, verdict: { ...decided.verdict, ...over } }
}

function draftsOf(session: Session, decided: Decided): EventDraft[] {
  if (decided.kind === 'draft') return [decided.draft]
  const { judged, verdict } = decided
  const draft = draftOf(session, judged, verdict)
  if (verdict.stop === undefined) return [draft]
  return [
    draft,
    { role: 'event', type: 'session.stopped', status: 'incomplete', code: 'stopped', content: verdict.stop },
  ]
}

function draftOf(session: Session, judged: JudgedCall, verdict: Verdict): EventDraft {
  const { call } = judged
  const { by, rule, risk, reasons, context, input } = verdict
  if (input !== undefined)
    session.read.set(call.id, { kind: 'ready', judged: { ...judged, input } satisfies JudgedCall })
  const said = {
    by,
    rule,
    ...(risk && { risk }),
    ...(reasons && reasons.length > 0 && { reasons }),
    ...(context && { context }),
    ...(input && { input }),
  }
  if (verdict.kind === 'deny') {
    const { reason } = verdict
    return {
      role: 'event',
      type: 'call.refused',
      call: call.id,
      outcome: 'refused',
      ...said,
      content: reason,
    }
  }
  const grants = verdict.kind === 'ask' ? verdict.grants : undefined
  const granted =
    verdict.kind === 'ask' &&
    verdict.firm !== true &&
    grants !== undefined &&
    grants.length > 0 &&
    grants.every((grant) => session.state.grants.has(grant))
  if (verdict.kind === 'allow' || granted) {
    if (verdict.readsOnly === true) session.readsOnly.add(call.id)
    const isAnswered = verdict.kind === 'allow' && verdict.answered === true
    const why = granted
      ? { ...said, by: 'approval', rule: 'granted for this session' satisfies RuleName }
      : { ...said, ...(isAnswered && { approved: true }) }
    return startDraft(session, input === undefined ? judged : { ...judged, input }, why)
  }
  session.heldNow.add(call.id)
  const held = {
    ...said,
    ...(grants && { grants }),
    ...(verdict.firm && { firm: true }),
    ...(verdict.approvals && { approvals: approvalsJson(verdict.approvals) }),
    ...(verdict.boundTo && { boundTo: [...verdict.boundTo] }),
  }
  return { role: 'event', type: 'call.held', call: call.id, ...held, content: verdict.reason }
}

/** The entry that is recorded before a permitted call runs. */
export function startDraft(
  session: Session,
  judged: JudgedCall,
  said: Omit<EventDraft, 'role' | 'type' | 'call'>,
): EventDraft {
  const { call, tool, input } = judged
  const start = {
    role: 'event',
    type: 'call.started',
    call: call.id,
    key: `${session.spec.id}/${call.id}`,
    ...said,
  } as const
  // Count it here, so that the rules see it when they judge the next call in the same reply.
  session.node.account?.countCall()
  if (tool.kind === 'team') return { ...start, ...teamStart(session, judged) }
  if (tool.kind !== 'delegate') return start
  const child = session.ports.ids.session(readDelegation(tool, input).target, session.spec.root)
  session.tree.count(child)
  return { ...start, child, ...(isBackground(session, judged) && { background: true }) }
}

/** Returns whether a `reportOut` in this reply would be accepted. */
function mayReport({ state, spec, teammates }: Session): boolean {
  return spec.completion === 'report' && state.background.size === 0 && teammates?.isBusy !== true
}

/** An accepted `reportOut` ends the work: later calls in the same reply do not start. */
async function refuseAfterReport(session: Session, reply: readonly WireCall[]): Promise<ReadonlySet<string>> {
  for (const [index, call] of reply.entries()) {
    const read = await readCachedCall(session, call)
    if (read.kind !== 'ready') continue
    const { tool } = read.judged
    // Background results are pending, so the report will not be accepted.
    if (tool.kind === 'team' || (tool.kind === 'delegate' && isBackground(session, read.judged)))
      return noCalls
    if (tool.kind === 'report') return new Set(reply.slice(index + 1).map((later) => later.id))
  }
  return noCalls
}
