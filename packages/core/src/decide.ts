import { readDelegation } from './delegation.ts'
import type { Draft, EventDraft, EventEntry, WireCall } from './entry.ts'
import type { JudgedCall } from './gate.ts'
import { type ReadCall, readCall } from './judge.ts'
import { record, type Session } from './session.ts'

/** Judges every call that is not judged yet, and records what was decided. */
export async function decide(
  session: Session,
  open: readonly WireCall[],
  ready: ReadonlyMap<string, JudgedCall>,
): Promise<void> {
  const { state } = session
  const fresh = open.filter(
    (call) => !state.started.has(call.id) && !state.refused.has(call.id) && !state.held.has(call.id),
  )
  if (fresh.length === 0) return
  const effects = fresh.some((call) => (ready.get(call.id)?.tool.effect ?? 'read') !== 'read')
  let replayed = true
  const entries = await record(
    session,
    `decide/${state.round}/${fresh[0]?.id}`,
    async () => {
      replayed = false
      const drafts: Draft[] = []
      for (const call of fresh) drafts.push(await decision(session, call, ready.get(call.id)))
      return drafts
    },
    { durable: effects },
  )
  for (const entry of entries as readonly EventEntry[]) {
    if (entry.type !== 'call.started') continue
    if (replayed) session.inherited.add(entry.call as string)
    const name = state.calls.find((call) => call.id === entry.call)?.function.name ?? ''
    session.emit({
      type: 'call.started',
      call: entry.call as string,
      tool: name,
      ...(entry.child && { child: entry.child }),
    })
  }
}

async function decision(
  session: Session,
  call: WireCall,
  judged: JudgedCall | undefined,
): Promise<EventDraft> {
  if (judged === undefined) {
    const read = (await readCall(call, session.spec, session.toolset)) as Exclude<ReadCall, { kind: 'ready' }>
    return {
      role: 'event',
      type: 'call.refused',
      call: call.id,
      outcome: read.kind,
      by: read.kind === 'refused' ? read.by : 'tool',
      content: read.reason,
    }
  }
  const after = reportBefore(session, call)
  if (after !== undefined)
    return {
      role: 'event',
      type: 'call.refused',
      call: call.id,
      outcome: 'cancelled',
      by: 'tool',
      content: after,
    }
  const verdict = await session.gate.judge(judged, session.spec, session.node.signal)
  if (verdict.kind === 'deny') {
    return {
      role: 'event',
      type: 'call.refused',
      call: call.id,
      outcome: 'refused',
      by: verdict.by,
      rule: verdict.rule,
      content: verdict.reason,
    }
  }
  if (verdict.kind === 'ask') {
    const { by, rule, reason, risk } = verdict
    return {
      role: 'event',
      type: 'call.held',
      call: call.id,
      by,
      rule,
      content: reason,
      ...(risk && { risk }),
    }
  }
  return startDraft(session, judged)
}

/** What is recorded of a call that may run, before it does. */
export function startDraft(session: Session, { call, tool, input }: JudgedCall): EventDraft {
  const start = {
    role: 'event',
    type: 'call.started',
    call: call.id,
    key: `${session.spec.id}/${call.id}`,
  } as const
  // Counted here, so that the next call of the same reply is judged with this one in the count.
  session.node.purse.countCalls(1)
  if (tool.kind !== 'delegate') return start
  const { target, wait } = readDelegation(tool, input)
  const child = session.ports.ids.session(target)
  session.tree.count(child)
  return { ...start, child, ...(!wait && { background: true }) }
}

/** `reportOut` ends the work: what stands behind it in the same reply is not begun. */
function reportBefore(session: Session, call: WireCall): string | undefined {
  for (const other of session.state.calls) {
    if (other.id === call.id) return undefined
    if (session.toolset.find(other.function.name)?.tool.kind === 'report')
      return 'the report was handed in before this call'
  }
  return undefined
}
