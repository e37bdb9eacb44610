import type { Json, JsonObject } from './json.ts'
import type { Usage } from './report.ts'

/**
 * An image in a journal entry. Entries have the same fields as in the session file, so that nothing is translated between the loop, the
 * file and its readers. Recorded entries never change.
 */
export interface Image {
  /** For example `image/png`. */
  readonly mime: string
  /** Base64. */
  readonly data: string
}

export interface WireCall {
  readonly id: string
  readonly type: 'function'
  readonly function: {
    readonly name: string
    /** JSON as the model wrote it, valid or not. */
    readonly arguments: string
  }
}

/** Reasoning of a model that its API needs back unchanged with later requests: signed by Anthropic, encrypted by OpenAI. */
export interface Reasoning {
  /** The model, as `Model.id`. Only this model receives the items. */
  readonly by: string
  readonly items: readonly ReasoningItem[]
}

export interface ReasoningItem {
  /** How many parts of the reply came before it: its text is one, and each call is one. */
  readonly at: number
  /** As the API sent it. */
  readonly item: JsonObject
}

export interface UserDraft {
  readonly role: 'user'
  readonly content: string
  readonly images?: readonly Image[]
  /** The sender: absent for a person, `cadre` for a nudge or a follow-up, otherwise a name. */
  readonly from?: string
  /** The id of a message that was delivered to the session. The session accepts each id once. */
  readonly message?: string
  /** The people who gave the work, besides the person who started the run. From a login, Slack or the system, never from the content. */
  readonly by?: readonly string[]
  /** Why Cadre wrote the message. */
  readonly nudge?: 'report' | 'empty' | 'sections' | 'schema' | 'truncated' | 'stop'
  /** Set for messages of an earlier session whose conversation this one continues. */
  readonly earlier?: true
  /** The results in this entry: background delegations by call id, teammates by `toldKey`. */
  readonly collected?: readonly string[]
  /** The usage of those delegations, and how many sessions and calls they had. */
  readonly usage?: Usage
  readonly sessions?: number
  readonly calls?: number
}

export interface AssistantDraft {
  readonly role: 'assistant'
  readonly content: string | null
  readonly tool_calls?: readonly WireCall[]
  readonly reasoning?: Reasoning
  /** Set for replies in an earlier session, perhaps of another agent. The model sees them, but they are not rounds of this session. */
  readonly earlier?: true
  /** The model that answered. */
  readonly model?: string
  readonly usage?: Usage
  /** The last entry in the request. The model has not seen entries that a person added later. */
  readonly asked?: number
  /** Set if the reply is incomplete: it reached the length limit or was filtered. */
  readonly stop?: 'length' | 'filtered'
}

/** How a call was settled. Entries omit `done`. */
export type OutcomeKind = 'done' | 'failed' | 'refused' | 'cancelled' | 'in_doubt'

export interface ResultDraft {
  readonly role: 'tool_result'
  readonly tool_call_id: string
  readonly content: string
  readonly outcome?: Exclude<OutcomeKind, 'done'>
  /** An error code, or what denied the call (`DecidedBy`). */
  readonly code?: string
  readonly images?: readonly Image[]
  /** For a delegation: the usage of its subtree, and how many sessions and calls it had. */
  readonly usage?: Usage
  readonly sessions?: number
  readonly calls?: number
}

/** An entry that the model does not see. `type` has the form `noun.pastVerb` and determines the other fields. */
export interface EventDraft {
  readonly role: 'event'
  readonly type: string
  readonly call?: string
  /** The idempotency key of a started call: the same for every attempt. */
  readonly key?: string
  /** The child session of a delegation. */
  readonly child?: string
  readonly content?: string
  readonly [field: string]: Json | undefined
}

export type Draft = UserDraft | AssistantDraft | ResultDraft | EventDraft

interface Recorded {
  /** The number of the entry, from 1 without gaps. An entry that a person adds receives its number when Cadre reads it. */
  readonly seq: number
  readonly timestamp: string
}

export type UserEntry = UserDraft & Recorded
export type AssistantEntry = AssistantDraft & Recorded
export type ResultEntry = ResultDraft & Recorded
export type EventEntry = EventDraft & Recorded
export type Entry = UserEntry | AssistantEntry | ResultEntry | EventEntry
