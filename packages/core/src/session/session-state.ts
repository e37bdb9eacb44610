import type { RequestSize } from '../budget/request-size.ts'
import { SpendingCount } from '../budget/spending.ts'
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
  /** The number of recorded replies. */
  round: number
  /** Replies since the last message of a person. The round limit counts these. */
  roundsSinceWork: number
  /** The messages that the model sees, and the `seq` of each. Both only grow, except when the context is compacted. */
  messages: Message[]
  messageSeqs: number[]
  characters: number
  /** The first and the latest request to the session. Compaction keeps both word for word. */
  work: { readonly first: Message; readonly last: Message } | undefined
  /** The reported input tokens of the last request, and its length in characters. Calibrates estimates. */
  measured: { tokens: number; characters: number } | undefined
  /** Under a budget: the last request, and the last one whose input tokens the server reported. */
  sentRequest: RequestSize | undefined
  measuredRequest: (RequestSize & { readonly tokens: number }) | undefined
  /** The calls of the last reply in their order, and how many of them have no result. */
  calls: Map<string, CallState>
  unsettled: number
  callIds: Set<string>
  /** The ids of messages from outside that were received, or that a hook refused. */
  receivedMessages: Set<string>
  /** Messages that arrived while calls were open. They follow the results, because no message may come between calls and results. */
  deferred: Message[]
  /** Delegations in the background whose results are not collected yet: child session by call. */
  background: Map<string, string>
  /** The teams it leads, by the key of their name. */
  teams: Map<string, TeamState>
  /** Keys of the results that it has received, from `collected`. */
  givenNotices: Set<string>
  nudges: { report: number; empty: number; sections: number; schema: number; truncated: number; stop: number }
  /** Its last text since a person's message. */
  lastText: string
  /** The report from `reportOut`. */
  reported: string | undefined
  usage: Usage
  /** What a budget counts. `usage` lacks requests whose usage is unknown. */
  spending: SpendingCount
  sessions: number
  callCount: number
  notices: Notice[]
  /** The last calls that repeat each other: same tool, same arguments, same outcome. Undefined after a new message. */
  repeated: RepeatedCall | undefined
  /** How many calls a budget refused, by its reason. */
  refusedByBudget: Map<string, number>
  /** Grants of a person for the rest of the session, by the names in `Verdict.grants`. */
  grants: Set<string>
  /** Set if a hook or reviewer stopped the session. Cleared by the next message of a person. */
  stopped:
    | { readonly status: 'incomplete' | 'error'; readonly code: string; readonly reason: string }
    | undefined
  /** The report, once the session has ended and as long as nothing was recorded after it. */
  ended: Report | undefined
  /** If it was cancelled: by whom. */
  cancelledBy: string | undefined
}

/** A team that a session leads. */
export interface TeamState {
  readonly name: string
  /** The call that created it, with the arguments that the gate allowed. */
  readonly call: WireCall
  readonly input: JsonObject | undefined
  /** Session ids by member name. */
  readonly members: ReadonlyMap<string, string>
}

/** The recorded state of a call. */
export interface CallState {
  readonly call: WireCall
  /** The start of the last attempt. */
  started?: EventEntry
  /** The number of attempts: more than one if the call was in doubt and ran again. */
  tries?: number
  finished?: EventEntry
  refused?: EventEntry
  held?: EventEntry
  result?: ResultEntry
}

export const zeroNudgeCounts = { report: 0, empty: 0, sections: 0, schema: 0, truncated: 0, stop: 0 }

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
    receivedMessages: new Set(),
    deferred: [],
    background: new Map(),
    teams: new Map(),
    givenNotices: new Set(),
    nudges: { ...zeroNudgeCounts },
    lastText: '',
    reported: undefined,
    usage: noUsage,
    spending: new SpendingCount(),
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
