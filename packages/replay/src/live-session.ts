import type { Draft, Entry, SessionSpec } from '@cadre/core'
import type { Lane } from './lane.ts'

/** A session of a replay, and how far it has come. */
export interface LiveSession {
  readonly spec: SessionSpec
  /** Its number in the fixture. Absent for a session that the record does not have. */
  readonly number: number | undefined
  readonly lane: Lane
  readonly entries: Entry[]
  rounds: number
  /** Messages that its loop wrote since its last reply. */
  own: number
  /** Calls of the last reply without a result. */
  readonly open: Set<string>
  settled: number
  turns: number
  compactions: number
  /** How many messages from outside it was sent. */
  sent: number
  /** Set if it asked for a reply that the record does not have. */
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
    turns: 0,
    compactions: 0,
    sent: 0,
  }
}

/** Keeps count of what a session records. `isMessage`: the entry is a message from outside. */
export function count(live: LiveSession, draft: Draft, isMessage: boolean): void {
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
      if (draft.type === 'session.ended') live.turns += 1
      if (draft.type === 'context.compacted') live.compactions += 1
  }
}

/** Whether it has had every reply and every outcome of its record. */
export function isSpent({ lane, rounds, settled }: LiveSession): boolean {
  return rounds >= lane.replies.length && settled >= lane.results.size
}

/** Whether only the end of its turn is left in the record, and that end is no stop. */
export function isAtEnd({ lane, rounds, open, turns }: LiveSession): boolean {
  const end = lane.ends[turns]
  return end !== undefined && end.report.status !== 'cancelled' && rounds >= end.round && open.size === 0
}

/** Whether the next message from outside is due: the session is where it was when it received the message. */
export function dueMessage({ lane, rounds, own, open, sent, turns }: LiveSession) {
  const next = lane.outside[sent]
  if (next === undefined || open.size > 0) return undefined
  if (next.wakes) return turns >= next.turn ? next : undefined
  return rounds > next.round || (rounds === next.round && own >= next.after) ? next : undefined
}
