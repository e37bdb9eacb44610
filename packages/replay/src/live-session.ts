import type { Draft, Entry, EventDraft, SessionSpec } from '@cadre/core'
import type { Lane } from './lane.ts'

/** A session in a replay, and its progress. */
export interface LiveSession {
  readonly spec: SessionSpec
  /** Its number in the fixture. Absent if the recording does not contain the session. */
  readonly number: number | undefined
  readonly lane: Lane
  readonly entries: Entry[]
  rounds: number
  /** The number of messages that its loop wrote since its last reply. */
  own: number
  /** Calls in the last reply that have no result. */
  readonly open: Set<string>
  settled: number
  /** The number of decisions for each call. */
  readonly decisions: Map<string, number>
  turns: number
  compactions: number
  /** The number of messages from outside that it was sent. */
  sent: number
  /** Aborted when it is stopped. Known when it has started. */
  signal?: AbortSignal
  /** Set if it needed a reply that the recording does not contain. */
  isBeyond?: true
}

export function createLiveSession(spec: SessionSpec, number: number | undefined, lane: Lane): LiveSession {
  return {
    spec,
    number,
    lane,
    entries: [],
    rounds: 0,
    own: 0,
    open: new Set(),
    settled: 0,
    decisions: new Map(),
    turns: 0,
    compactions: 0,
    sent: 0,
  }
}

/** Counts the entries that a session records. `isMessage`: the entry is a message from outside. */
export function countEntry(live: LiveSession, draft: Draft, isMessage: boolean): void {
  switch (draft.role) {
    case 'assistant':
      if (draft.earlier) return
      live.rounds += 1
      live.own = 0
      for (const { id } of draft.tool_calls ?? []) live.open.add(id)
      return
    case 'tool_result':
      live.settled += 1
      live.open.delete(draft.tool_call_id)
      return
    case 'user':
      // The first one is the work.
      if (draft.earlier || isMessage || !live.entries.some(({ role }) => role === 'user')) return
      live.own += 1
      return
    case 'event':
      if (isDecision(draft)) live.decisions.set(draft.call, (live.decisions.get(draft.call) ?? 0) + 1)
      if (draft.type === 'session.ended') live.turns += 1
      if (draft.type === 'context.compacted') live.compactions += 1
  }
}

function isDecision(draft: Draft): draft is EventDraft & { readonly call: string } {
  if (draft.role !== 'event' || draft.call === undefined || draft['by'] === undefined) return false
  if (draft.type === 'call.started') return draft['try'] === undefined
  return draft.type === 'call.held' || draft.type === 'call.refused'
}

/** Whether it has received every recorded reply, decision and outcome, and written every message. */
export function hasUsedRecording({ lane, rounds, own, settled, open, decisions }: LiveSession): boolean {
  if (rounds < lane.replies.length || settled < lane.results.size) return false
  if (own < (lane.own.get(rounds)?.length ?? 0)) return false
  return [...open].every((call) => (decisions.get(call) ?? 0) >= (lane.decisions.get(call)?.length ?? 0))
}

/** Whether the next recorded end is a stop. */
function isStopNext({ lane, turns }: LiveSession): boolean {
  return turns === lane.ends.length - 1 && lane.ends[turns]?.report.status === 'cancelled'
}

/**
 * Whether the recorded stop happened here: between two steps, and not during a request, a call or a child session. Without the stop, the session
 * would do more than in the recording.
 */
export function isAtStop(live: LiveSession): boolean {
  const { lane, open, sent, compactions } = live
  if (!isStopNext(live) || !hasUsedRecording(live)) return false
  if (sent < lane.outside.length || compactions < lane.compactions.length) return false
  const hasChild = (call: string) => [...(lane.children.get(call)?.values() ?? [])].some((child) => child > 0)
  return ![...open].some(hasChild)
}

/** Whether only the end of its turn remains in the recording, and that end is not a stop. */
export function isAtEnd({ lane, rounds, open, turns }: LiveSession): boolean {
  const end = lane.ends[turns]
  return end !== undefined && end.report.status !== 'cancelled' && rounds >= end.round && open.size === 0
}

/** Whether the next message from outside is due, because the session has reached the point at which it received the message. */
export function nextDueMessage({ lane, rounds, own, open, sent, turns }: LiveSession) {
  const next = lane.outside[sent]
  if (next === undefined || open.size > 0) return undefined
  if (next.wakes) return turns >= next.turn ? next : undefined
  return rounds > next.round || (rounds === next.round && own >= next.after) ? next : undefined
}
