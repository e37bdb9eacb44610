import {
  type Entry,
  foldEntries,
  isEndedStatus,
  openCalls,
  type Report,
  type SessionState,
  type StoredSession,
} from '@cadre/core'

/** What a session that is not running waits for. */
export type IdleState =
  /** Ended, without a new message. */
  | { readonly kind: 'ended' }
  /** It has work that needs no person. */
  | { readonly kind: 'ready' }
  /** It waits for a person, and for these sessions, if any. */
  | { readonly kind: 'asks'; readonly children: readonly string[] }
  /** It waits only for these sessions. */
  | { readonly kind: 'delegates'; readonly children: readonly string[] }

/** Determines the state from this session's record alone. */
export function idleStateOf({ status, entries, spec }: StoredSession): IdleState {
  const state = foldEntries(entries, spec.id)
  if (isEndedStatus(status)) {
    // A message that a person wrote after the end. Other edits do not resume the session.
    const isNews = state.ended === undefined && lastMessage(entries)?.role === 'user'
    return { kind: isNews ? 'ready' : 'ended' }
  }
  // The process that ran it died between the last entry and the header.
  if (state.ended !== undefined) return { kind: 'ready' }
  const open = openCalls(state)
  const questions = questionsOf(entries, new Set(open.map(({ call }) => call.id)))
  const isAnswered = open.some(({ call, held, started, finished }) => {
    const isHeld = held !== undefined && started === undefined
    return finished === undefined && !questions.open.has(call.id) && (isHeld || questions.asked.has(call.id))
  })
  if (isAnswered) return { kind: 'ready' }
  const children = childrenIn(state)
  // A sleeping session has done all it can. One whose process died may have other work left.
  if (questions.open.size > 0) return status === 'active' ? { kind: 'ready' } : { kind: 'asks', children }
  const waits = children.length > 0 && open.every(({ started, finished }) => started?.child ?? finished)
  return waits ? { kind: 'delegates', children } : { kind: 'ready' }
}

/** The sessions that it waits for, and its teammates. */
export function openChildren({ entries, spec }: StoredSession): readonly string[] {
  const state = foldEntries(entries, spec.id)
  return [...childrenIn(state), ...[...state.teams.values()].flatMap(({ members }) => [...members.values()])]
}

function childrenIn(state: SessionState): string[] {
  return [
    ...openCalls(state).flatMap(({ started, finished }) =>
      started?.child === undefined || finished !== undefined ? [] : [started.child],
    ),
    ...state.background.values(),
  ]
}

/** The last report in the record, even if the session has continued since. */
export function latestReport(entries: readonly Entry[]): Report | undefined {
  const last = entries.findLast((entry) => entry.role === 'event' && entry.type === 'session.ended')
  return last?.role === 'event' ? (last['report'] as unknown as Report) : undefined
}

/** The calls that a person was asked about, and those whose question is still open. */
function questionsOf(entries: readonly Entry[], calls: ReadonlySet<string>) {
  const asked = new Map<string, string>()
  const answered = new Set<string>()
  for (const entry of entries) {
    if (entry.role !== 'event') continue
    const name = String(entry['name'] ?? '')
    if (entry.type === 'person.asked' && calls.has(entry.call ?? '')) asked.set(name, entry.call ?? '')
    if (entry.type === 'person.answered') answered.add(name)
  }
  const open = new Set([...asked].flatMap(([name, call]) => (answered.has(name) ? [] : [call])))
  return { asked: new Set(asked.values()), open }
}

function lastMessage(entries: readonly Entry[]): Entry | undefined {
  return entries.findLast((entry) => entry.role !== 'event')
}
