import { readDelegation } from './delegation.ts'
import type { Draft, EventDraft, EventEntry, WireCall } from './entry.ts'
import type { JudgedCall } from './gate.ts'
import { type ReadCall, readCall } from './judge.ts'
import { record, type Session } from './session.ts'
import type { CallState } from './state.ts'

/** Judges every call that is not judged yet, and records what was decided. */
export async function decide(
  session: Session,
  open: readonly CallState[],
  ready: ReadonlyMap<string, JudgedCall>,
): Promise<void> {
  const { state } = session
  const fresh = open.filter(
    ({ started, refused, held }) => started === undefined && refused === undefined && held === undefined,
  )
  if (fresh.length === 0) return
  const effects = fresh.some(({ call }) => (ready.get(call.id)?.tool.effect ?? 'read') !== 'read')
  let replayed = true
  const entries = await record(
    session,
    `decide/${state.round}/${fresh[0]?.call.id}`,
    async () => {
      replayed = false
      const late = behindReport(session)
      const drafts: Draft[] = []
      for (const { call } of fresh)
        drafts.push(await decision(session, call, ready.get(call.id), late.has(call.id)))
      return drafts
    },
    { durable: effects },
  )
  for (const entry of entries as readonly EventEntry[]) {
    if (entry.type !== 'call.started') continue
    const call = entry.call as string
    if (replayed) session.inherited.add(call)
    const tool = state.calls.get(call)?.call.function.name ?? ''
    session.emit({ type: 'call.started', call, tool, ...(entry.child && { child: entry.child }) })
  }
}

async function decision(
  session: Session,
  call: WireCall,
  judged: JudgedCall | undefined,
  late: boolean,
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
  if (late)
    return {
      role: 'event',
      type: 'call.refused',
      call: call.id,
      outcome: 'cancelled',
      by: 'tool',
      content: 'the report was handed in before this call',
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
function behindReport(session: Session): Set<string> {
  const calls = [...session.state.calls.values()]
  const at = calls.findIndex(({ call }) => session.toolset.find(call.function.name)?.tool.kind === 'report')
  return new Set(at < 0 ? [] : calls.slice(at + 1).map(({ call }) => call.id))
}
