import { isBackground } from './delegate.ts'
import { readDelegation } from './delegation.ts'
import type { Entry, EventDraft, WireCall } from './entry.ts'
import type { JudgedCall } from './gate.ts'
import { type ReadCall, readCall } from './judge.ts'
import { record, type Session } from './session.ts'
import type { CallState } from './state.ts'

/** Judges every call that is not judged yet, and records what was decided. */
export async function decide(session: Session, open: readonly CallState[]): Promise<void> {
  const fresh = open
    .filter(({ started, refused, held }) => !started && !refused && !held)
    .map(({ call }) => call)
  if (fresh.length === 0) return
  let replayed = true
  const entries = await record(
    session,
    `decide/${session.state.round}/${fresh[0]?.id}`,
    () => {
      replayed = false
      return decisions(
        session,
        fresh,
        [...session.state.calls.values()].map(({ call }) => call),
      )
    },
    { durable: () => haveEffects(session, fresh) },
  )
  announceStarts(session, entries, replayed)
}

/** What is decided about these calls, in their order. `reply` is all calls of the reply they stand in. */
export async function decisions(
  session: Session,
  calls: readonly WireCall[],
  reply: readonly WireCall[],
): Promise<EventDraft[]> {
  const late = await behindReport(session, reply)
  const drafts: EventDraft[] = []
  for (const call of calls) drafts.push(await decision(session, call, late.has(call.id)))
  return drafts
}

/** A start that was found in the record, and not made now, may have had its effect already. */
export function announceStarts(session: Session, entries: readonly Entry[], replayed: boolean): void {
  for (const entry of entries) {
    if (entry.role !== 'event' || entry.type !== 'call.started') continue
    const call = entry.call as string
    if (replayed) session.inherited.add(call)
    const tool = session.state.calls.get(call)?.call.function.name ?? ''
    session.emit({ type: 'call.started', call, tool, ...(entry.child && { child: entry.child }) })
  }
}

export function haveEffects(session: Session, calls: readonly WireCall[]): boolean {
  return calls.some((call) => {
    const read = session.read.get(call.id)
    return read?.kind === 'ready' && read.judged.tool.effect !== 'read'
  })
}

/** The call as this session understands it: read once per life. */
export async function readOnce(session: Session, call: WireCall): Promise<ReadCall> {
  const known = session.read.get(call.id)
  if (known !== undefined) return known
  const read = await readCall(call, session.spec, session.toolset)
  session.read.set(call.id, read)
  return read
}

async function decision(session: Session, call: WireCall, late: boolean): Promise<EventDraft> {
  const read = await readOnce(session, call)
  if (read.kind !== 'ready') {
    const by = read.kind === 'refused' ? read.by : 'tool'
    return {
      role: 'event',
      type: 'call.refused',
      call: call.id,
      outcome: read.kind,
      by,
      content: read.reason,
    }
  }
  if (late) {
    const content = 'the report was handed in before this call'
    return { role: 'event', type: 'call.refused', call: call.id, outcome: 'cancelled', by: 'tool', content }
  }
  const said = session.gate.judge(read.judged, session.spec, session.node.signal)
  const verdict = said instanceof Promise ? await said : said
  if (verdict.kind === 'allow') return startDraft(session, read.judged)
  const { by, rule, reason } = verdict
  if (verdict.kind === 'deny') {
    return {
      role: 'event',
      type: 'call.refused',
      call: call.id,
      outcome: 'refused',
      by,
      rule,
      content: reason,
    }
  }
  return {
    role: 'event',
    type: 'call.held',
    call: call.id,
    by,
    rule,
    content: reason,
    ...(verdict.risk && { risk: verdict.risk }),
  }
}

/** What is recorded of a call that may run, before it does. */
export function startDraft(session: Session, judged: JudgedCall): EventDraft {
  const { call, tool, input } = judged
  const start = {
    role: 'event',
    type: 'call.started',
    call: call.id,
    key: `${session.spec.id}/${call.id}`,
  } as const
  // Counted here, so that the next call of the same reply is judged with this one in the count.
  session.node.purse.countCalls(1)
  if (tool.kind !== 'delegate') return start
  const child = session.ports.ids.session(readDelegation(tool, input).target)
  session.tree.count(child)
  return { ...start, child, ...(isBackground(session, judged) && { background: true }) }
}

/** A `reportOut` that is taken ends the work: what stands behind it in the same reply is not begun. */
async function behindReport(session: Session, reply: readonly WireCall[]): Promise<Set<string>> {
  if (session.spec.completion !== 'report' || session.state.background.size > 0) return new Set()
  for (const [index, call] of reply.entries()) {
    const read = await readOnce(session, call)
    if (read.kind !== 'ready') continue
    const { tool } = read.judged
    // Results of what runs in the background are still to come: the report will not be taken.
    if (tool.kind === 'delegate' && isBackground(session, read.judged)) return new Set()
    if (tool.kind === 'report') return new Set(reply.slice(index + 1).map((later) => later.id))
  }
  return new Set()
}
