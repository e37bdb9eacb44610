/**
 * Settles the calls in one reply. Called only by the loop, one reply at a time per session.
 *
 * 1. Every call of the reply is settled exactly once: by one `tool_result` that is recorded in call order.
 * 2. The decisions about all calls are recorded in one step, before any of them runs.
 * 3. A call that has an effect runs only after that record is durable.
 * 4. A call that an earlier process started, and that has no recorded result, is in doubt: see `settle-call-in-doubt.ts`. Running it again is another
 *    attempt with its own record, which can be in doubt as well.
 * 5. After a cancel, unfinished calls stay open in the record, and a resume continues them.
 */

import { newNotices } from '../budget/budget-notices.ts'
import type { Draft, EventDraft, EventEntry, ResultDraft, WireCall } from '../ports/entry.ts'
import { Suspended } from '../ports/errors.ts'
import type { JudgedCall, Verdict } from '../ports/gate.ts'
import type { LifecycleResponse } from '../ports/lifecycle-event.ts'
import type { RuleName } from '../ports/rule-names.ts'
import { changeTeam } from '../tree/change-team.ts'
import { delegate } from '../tree/delegate.ts'
import { settledEvent } from '../view/entry-events.ts'
import { approvalOf } from './approval-question.ts'
import { awaitAnswer } from './await-answer.ts'
import { announceDecisions, decide, readCachedCall, startDraft, undecidedCalls } from './decide.ts'
import { notifyHandlers } from './notify-handlers.ts'
import { type Outcome, perform } from './perform.ts'
import { isStricterRequirement, requirementOf } from './recorded-votes.ts'
import { noticeDraft, record, type Session, withoutSlot } from './session.ts'
import type { CallState } from './session-state.ts'
import { settleCallInDoubt } from './settle-call-in-doubt.ts'
import { approveSession, grantsOf, noticeOf, openCalls } from './state.ts'

export async function settleReply(session: Session): Promise<undefined> {
  const open = openCalls(session.state)
  for (const { call } of open) if (!session.read.has(call.id)) await readCachedCall(session, call)
  const fresh = undecidedCalls(open)
  if (fresh.length > 0) await decide(session, fresh)
  const delegates = open.some(({ call }) => judgedOf(session, call)?.tool.kind === 'delegate')
  await (delegates ? withoutSlot(session, () => settleAll(session, open)) : settleAll(session, open))
  session.read.clear()
}

function judgedOf(session: Session, call: WireCall): JudgedCall | undefined {
  const read = session.read.get(call.id)
  return read?.kind === 'ready' ? read.judged : undefined
}

function settleAll(session: Session, open: readonly CallState[]): Promise<unknown> {
  const [first] = open
  if (first === undefined || open.length > 1) return settleTogether(session, open)
  const { call } = first
  return settleCall(session, call, judgedOf(session, call), { order: { next: 0 }, index: 0, turn: true })
}

async function settleTogether(session: Session, open: readonly CallState[]): Promise<void> {
  const order = { next: 0 }
  let previous: boolean | Promise<boolean> = true
  const settling = open.map(({ call }, index) => {
    const mine = settleCall(session, call, judgedOf(session, call), { order, index, turn: previous })
    // A failed call does not fail the calls after it, but their results are not recorded.
    previous = mine.catch(() => false)
    return mine
  })
  const ends = await Promise.allSettled(settling)
  const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  const other = failures.find((failure) => !(failure instanceof Suspended))
  if (other !== undefined) throw other
  if (failures.length > 0)
    throw new Suspended(failures.flatMap((failure) => (failure as Suspended).questions))
}

interface Turn {
  readonly order: { next: number }
  readonly index: number
  /** Resolves to whether all earlier calls were recorded. */
  readonly turn: boolean | Promise<boolean>
}

/** Returns true if the call was settled, and false if it stays open because the session is being stopped. */
async function settleCall(
  session: Session,
  call: WireCall,
  judged: JudgedCall | undefined,
  { order, index, turn }: Turn,
): Promise<boolean> {
  const { state } = session
  const round = state.round
  const entries = await record(session, `call/${round}/${call.id}`, async () => {
    const outcome = await outcomeOf(session, call, judged)
    if (outcome === undefined) return []
    if (order.next !== index && judged !== undefined && judged.tool.effect !== 'read') {
      // Earlier calls are still running. Without this entry, a crash before they end would leave a finished effect in doubt.
      const { content, outcome: kind, code, images } = outcome
      const note: EventDraft = {
        role: 'event',
        type: 'call.finished',
        call: call.id,
        content,
        ...(kind && { outcome: kind }),
        ...(code && { code }),
        ...(images && { images: images.map((image) => ({ ...image })) }),
      }
      await record(session, `finished/${round}/${call.id}`, () => [note], { durable: true })
    }
    if (turn !== true && !(await turn)) return []
    return resultDrafts(session, call, judged, outcome)
  })
  if (entries.length === 0) return false
  order.next = index + 1
  for (const entry of entries) {
    if (entry.role === 'event' && entry.type === 'notice.added')
      session.emit({ type: 'notice.added', notice: noticeOf(entry) })
  }
  const result = session.state.calls.get(call.id)?.result
  if (result !== undefined) session.emit(settledEvent(result, session.state.background.has(call.id)))
  return true
}

function resultDrafts(
  { state }: Session,
  call: WireCall,
  judged: JudgedCall | undefined,
  { notices = [], ...outcome }: Outcome,
): Draft[] {
  const result: ResultDraft = { role: 'tool_result', tool_call_id: call.id, ...outcome }
  if (judged?.tool.kind !== 'report' || outcome.outcome !== undefined)
    return [...newNotices(state, notices).map(noticeDraft), result]
  return [
    {
      role: 'event',
      type: 'report.given',
      call: call.id,
      content: (judged.input as { report: string }).report,
    },
    result,
  ]
}

async function outcomeOf(
  session: Session,
  call: WireCall,
  judged: JudgedCall | undefined,
): Promise<Outcome | undefined> {
  const known = session.state.calls.get(call.id)
  const refused = known?.refused
  if (refused !== undefined) return refusalOutcome(refused)
  // A finished call keeps its outcome, even if the tool no longer exists.
  if (judged === undefined && known?.finished !== undefined) return finishedOutcome(known.finished)
  if (judged === undefined)
    return {
      outcome: 'failed',
      content: 'the call is no longer valid, because the tools have changed since it was made',
    }
  const held = known?.started === undefined ? known?.held : undefined
  if (held !== undefined) {
    const answer = await awaitApproval(session, judged, held)
    if (answer !== 'approved') return answer
  }
  const finished = known?.finished
  if (finished !== undefined) return finishedOutcome(finished)
  if (judged.tool.kind === 'report') return report(session)
  const outcome = await run(session, judged)
  if (outcome === undefined) return undefined
  const { started } = session.state.calls.get(call.id) ?? {}
  if (session.ports.onLifecycleEvent === undefined) return withContext(outcome, started)
  const said = await notifyHandlers(session, {
    kind: 'call.settled',
    call: judged,
    outcome: outcome.outcome ?? 'done',
    content: outcome.content,
  })
  return withContext(outcome, started, said)
}

function run(session: Session, judged: JudgedCall): Promise<Outcome | undefined> {
  if (judged.tool.kind === 'delegate') return delegate(session, judged)
  if (judged.tool.kind === 'team') return changeTeam(session, judged)
  const isPlain = session.ports.onLifecycleEvent === undefined && !session.inherited.has(judged.call.id)
  return isPlain ? perform(session, judged) : runAttended(session, judged)
}

/** Runs a call that hooks and rules follow, or that an earlier life has started. */
async function runAttended(session: Session, judged: JudgedCall): Promise<Outcome | undefined> {
  if (session.inherited.has(judged.call.id)) {
    const known = await settleCallInDoubt(session, judged)
    if (known !== 'run') return known
    const refused = (await currentRefusal(session, judged)) ?? (await startAgain(session, judged))
    if (refused !== undefined) return refused
  }
  const { effect } = judged.tool
  if (effect === 'write' || effect === 'execute') {
    const readsOnly = session.readsOnly.has(judged.call.id)
    await notifyHandlers(session, { kind: 'call.starting', call: judged, ...(readsOnly && { readsOnly }) })
  }
  return perform(session, judged)
}

/** Records another attempt before it runs. Each attempt counts against a call budget, and is refused when the budget is spent. */
async function startAgain(session: Session, { call, tool }: JudgedCall): Promise<Outcome | undefined> {
  const { started, tries = 1 } = session.state.calls.get(call.id) ?? {}
  const { account } = session.node
  if (started === undefined || (tool.effect === 'read' && account === undefined)) return undefined
  const { seq: _seq, timestamp: _timestamp, ...start } = started
  const over = account?.refuseCall()
  if (over !== undefined) return refuse(session, call, { by: 'budget', rule: 'calls', reason: over })
  account?.countCall()
  const draft = { ...start, try: tries + 1 }
  announceDecisions(
    session,
    await record(session, `again/${call.id}/${tries}`, () => [draft], { durable: true }),
  )
  return undefined
}

/**
 * Waits for the answer to a held call. Returns `approved`, after recording it, if the call may run, and `undefined` if the session is being
 * stopped.
 */
async function awaitApproval(
  session: Session,
  judged: JudgedCall,
  held: EventEntry,
): Promise<Outcome | 'approved' | undefined> {
  const { call } = judged
  const question = approvalOf(session, judged, held)
  const { by, rule, risk, reasons } = held as unknown as Verdict
  const reason = held.content ?? ''
  const verdict = { by, rule, reason, ...(risk && { risk }), ...(reasons && { reasons }) }
  await notifyHandlers(session, { kind: 'person.awaited', call: judged, verdict })
  const answer = await awaitAnswer(session, question)
  if (answer === undefined) return undefined
  if (answer.decision !== 'approve' && answer.decision !== approveSession) {
    return {
      outcome: 'refused',
      code: 'approval_rejected',
      content: `rejected by ${answer.by ?? 'a person'}${answer.reason ? `: ${answer.reason}` : ''}`,
    }
  }
  if (answer.decision === approveSession) for (const grant of grantsOf(held)) session.state.grants.add(grant)
  // Days may have passed since the question. An approval does not override rules that forbid the call now.
  const refused =
    session.heldNow.has(call.id) && held['boundTo'] === undefined
      ? undefined
      : await currentRefusal(session, judged, held)
  if (refused !== undefined) return refused
  const { input, context } = held
  const said = {
    by: 'approval',
    rule: (answer.decision === approveSession ? 'approve-session' : 'approve') satisfies RuleName,
    approved: true,
    ...(answer.by && { approved_by: answer.by }),
    ...(answer.reason && { content: answer.reason }),
    ...(risk && { risk }),
    ...(input !== undefined && { input }),
    ...(context !== undefined && { context }),
  }
  // Other calls may have used up the budget since this one was judged.
  const over = session.gate.judgeCounts(judged, session.spec, session.node.signal)
  if (over !== undefined) return refuse(session, call, over)
  const start = startDraft(session, judged, said)
  announceDecisions(session, await record(session, `approved/${call.id}`, () => [start], { durable: true }))
  return 'approved'
}

/** Records the refusal of a call that was allowed in an earlier life and is forbidden now, and returns it. */
async function currentRefusal(
  session: Session,
  judged: JudgedCall,
  held?: EventEntry,
): Promise<Outcome | undefined> {
  const { call } = judged
  const verdict = await session.gate.judgeAgain(judged, session.spec, session.node.signal)
  if (verdict.kind === 'deny') return refuse(session, call, verdict)
  if (held === undefined) return undefined
  if (verdict.kind === 'ask' && isStricterRequirement(verdict.approvals, requirementOf({ ...held })))
    return refuse(session, call, {
      by: 'approval',
      rule: 'approval-outdated',
      reason:
        'the policy requires more approvals for this call than when it was requested, so the approval no longer applies. Make the call again to request new ones.',
    })
  const before = (held['boundTo'] ?? []) as readonly string[]
  const changed = (verdict.boundTo ?? []).filter((item) => !before.includes(item))
  if (changed.length === 0) return undefined
  const files = changed.map((item) => item.split(' ')[0]).join(', ')
  return refuse(session, call, {
    by: 'approval',
    rule: 'approval-outdated',
    reason: `${files} changed after the approval was requested, so the approval no longer applies. Make the call again to request a new one.`,
  })
}

/** Records which rule refuses a call that was allowed or held before. */
async function refuse(
  session: Session,
  call: WireCall,
  { by, rule, reason = '' }: Pick<Verdict, 'by' | 'rule'> & { readonly reason?: string },
): Promise<Outcome> {
  const draft: EventDraft = {
    role: 'event',
    type: 'call.refused',
    call: call.id,
    outcome: 'refused',
    by,
    rule,
    content: reason,
  }
  announceDecisions(session, await record(session, `refused/${call.id}`, () => [draft]))
  return refusalOutcome(draft)
}

/** Adds the text of rules and hooks to the outcome. */
function withContext(
  outcome: Outcome,
  started: EventEntry | undefined,
  said: LifecycleResponse = {},
): Outcome {
  const { content = outcome.content, blocked, context } = said
  const before = typeof started?.['context'] === 'string' ? started['context'] : undefined
  const added = [before, blocked, context].filter((text) => text !== undefined && text !== '')
  if (added.length === 0 && content === outcome.content) return outcome
  return { ...outcome, content: [content, ...added].join('\n\n') }
}

export function refusalOutcome(entry: EventDraft): Outcome {
  const { by = 'tool', rule } = entry
  return {
    outcome: entry['outcome'] as 'failed' | 'refused' | 'cancelled',
    code: String(rule === 'circular_delegation' ? rule : by),
    content: entry.content ?? 'refused',
  }
}

export function finishedOutcome(entry: EventEntry): Outcome {
  const { outcome, code, images } = entry as unknown as Outcome
  return {
    content: entry.content ?? '',
    ...(outcome && { outcome }),
    ...(code && { code }),
    ...(images && { images }),
  }
}

function report(session: Session): Outcome {
  const running = session.state.background.size
  if (running === 0 && !session.teammates?.isBusy) return { content: 'The report was submitted.' }
  const what =
    running > 0
      ? `${running} delegated task(s) are still running.`
      : 'Your teammates are working, or have results for you.'
  return {
    outcome: 'refused',
    code: 'delegation',
    content: `${what} End your turn without a call. Report after you get their results.`,
  }
}
