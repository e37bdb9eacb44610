import type { RequestSize } from '../budget/request-size.ts'
import type { EventEntry, ResultEntry, WireCall } from '../ports/entry.ts'
import type { JsonObject } from '../ports/json.ts'
import type { Message } from '../ports/model.ts'
import { type Notice, noUsage, type Report, type Usage } from '../ports/report.ts'
import type { RepeatedCall } from './repeated-call.ts'

/**
 * The state of a session: a fold over its entries and nothing else. Live and resumed sessions use the same `applyEntry`, so a session that
 * is read from its journal has exactly the state it had before.
 */
export interface SessionState {
  seq: number
  /** Replies recorded. */
  round: number
  /** Replies since a person last said something; the limit on rounds counts these. */
  roundsSinceWork: number
  /** What the model is shown, with the `seq` of each beside it. Both only grow, except when context is compacted. */
  messages: Message[]
  messageSeqs: number[]
  characters: number
  /** The first and the latest request to the session. Compaction keeps both word for word. */
  work: { readonly first: Message; readonly last: Message } | undefined
  /** Input tokens the last reply was charged with, and the characters it was asked with: calibrates estimates. */
  measured: { tokens: number; characters: number } | undefined
  /** Under a budget: the last request, and the last one whose input tokens the server reported. */
  sentRequest: RequestSize | undefined
  measuredRequest: (RequestSize & { readonly tokens: number }) | undefined
  /** The calls of the last reply in their order, and how many of them have no result. */
  calls: Map<string, CallState>
  unsettled: number
  callIds: Set<string>
  /** The ids of messages from outside that were received, or that a hook refused. */
  heard: Set<string>
  /** What a person said while calls were open: shown behind their results, because nothing may stand between the two. */
  deferred: Message[]
  /** Delegations in the background whose results are not collected yet: child session by call. */
  background: Map<string, string>
  /** The teams it leads, by the key of their name. */
  teams: Map<string, TeamState>
  /** Results that it was told, by `collected`. */
  told: Set<string>
  nudges: { report: number; empty: number; sections: number; schema: number; truncated: number; stop: number }
  /** What it last said since a person did. */
  lastText: string
  /** Handed in through `reportOut`. */
  reported: string | undefined
  usage: Usage
  sessions: number
  callCount: number
  notices: Notice[]
  /** The last calls that repeat each other: same tool, same arguments, same outcome. Undefined after anything new was said. */
  repeated: RepeatedCall | undefined
  /** How many calls a budget refused, by its reason. */
  refusedByBudget: Map<string, number>
  /** What a person has permitted for the rest of the session, by the names of `Verdict.grants`. */
  grants: Set<string>
  /** Somebody outside ended it, until a person speaks again. */
  stopped:
    | { readonly status: 'incomplete' | 'error'; readonly code: string; readonly reason: string }
    | undefined
  /** The report, once the session has ended and as long as nothing was recorded after it. */
  ended: Report | undefined
  /** Who cancelled it, when it ended cancelled. */
  cancelledBy: string | undefined
}

/** A team that a session leads. */
export interface TeamState {
  readonly name: string
  /** The call that created it, as it was let through. */
  readonly call: WireCall
  readonly input: JsonObject | undefined
  /** Sessions by the name of the member. */
  readonly members: ReadonlyMap<string, string>
}

/** What the record says of a call. */
export interface CallState {
  readonly call: WireCall
  /** Of the last try. */
  started?: EventEntry
  /** How often it was started: more than once if it was in doubt and run again. */
  tries?: number
  finished?: EventEntry
  refused?: EventEntry
  held?: EventEntry
  result?: ResultEntry
}

export const noNudges = { report: 0, empty: 0, sections: 0, schema: 0, truncated: 0, stop: 0 }

export function emptyState(): SessionState {
  return {
    seq: 0,
    round: 0,
    roundsSinceWork: 0,
    messages: [],
    messageSeqs: [],
    characters: 0,
    work: undefined,
    measured: undefined,
    sentRequest: undefined,
    measuredRequest: undefined,
    calls: new Map(),
    unsettled: 0,
    callIds: new Set(),
    heard: new Set(),
    deferred: [],
    background: new Map(),
    teams: new Map(),
    told: new Set(),
    nudges: { ...noNudges },
    lastText: '',
    reported: undefined,
    usage: noUsage,
    sessions: 1,
    callCount: 0,
    notices: [],
    repeated: undefined,
    refusedByBudget: new Map(),
    grants: new Set(),
    stopped: undefined,
    ended: undefined,
    cancelledBy: undefined,
  }
}
