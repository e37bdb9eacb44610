import type { Json } from './json.ts'
import type { Usage } from './report.ts'

/**
 * What a journal is made of. These shapes are the session file's own, field for field, so that nothing is translated
 * between the loop, the file and a person who reads it. Entries are immutable once recorded.
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

export interface UserDraft {
  readonly role: 'user'
  readonly content: string
  readonly images?: readonly Image[]
  /** Who wrote it: absent for a person, `cadre` for a nudge or a follow-up, else a name. */
  readonly from?: string
  /** The id of a message that was brought from elsewhere: it is taken once, however often it is brought. */
  readonly message?: string
  /** Why cadre wrote it. */
  readonly nudge?: 'report' | 'empty' | 'sections' | 'truncated' | 'stop'
  /** Said before this session began, in a conversation that it takes over. */
  readonly earlier?: true
  /** Results that this entry brings: of background delegations by call id, of teammates by `toldKey`. */
  readonly collected?: readonly string[]
  /** What those delegations cost, and how many sessions and calls they were. */
  readonly usage?: Usage
  readonly sessions?: number
  readonly calls?: number
}

export interface AssistantDraft {
  readonly role: 'assistant'
  readonly content: string | null
  readonly tool_calls?: readonly WireCall[]
  /** Said before this session began, perhaps by another agent: shown to the model, and no round of this session. */
  readonly earlier?: true
  /** The model that really answered. */
  readonly model?: string
  readonly usage?: Usage
  /** The last entry the question was asked with: what a person added since, the model has not seen. */
  readonly asked?: number
  /** Set when the backend stopped early: the text is cut, or the reply was filtered. */
  readonly stop?: 'length' | 'filtered'
}

/** How a call was settled. `done` is not written. */
export type OutcomeKind = 'done' | 'failed' | 'refused' | 'cancelled' | 'in_doubt'

export interface ResultDraft {
  readonly role: 'tool_result'
  readonly tool_call_id: string
  readonly content: string
  readonly outcome?: Exclude<OutcomeKind, 'done'>
  /** An error code, or what the gate decided by. */
  readonly code?: string
  readonly images?: readonly Image[]
  /** Of a delegation: what its subtree cost, and how many sessions and calls it was. */
  readonly usage?: Usage
  readonly sessions?: number
  readonly calls?: number
}

/** What the model does not see. `type` is `noun.pastVerb`; further fields depend on it. */
export interface EventDraft {
  readonly role: 'event'
  readonly type: string
  readonly call?: string
  /** The idempotency key of a started call: the same on every try. */
  readonly key?: string
  /** The child session of a delegation. */
  readonly child?: string
  readonly content?: string
  readonly [field: string]: Json | undefined
}

export type Draft = UserDraft | AssistantDraft | ResultDraft | EventDraft

interface Recorded {
  /** Counts from 1 without gaps in what cadre writes; a person's entries get theirs when they are taken up. */
  readonly seq: number
  readonly timestamp: string
}

export type UserEntry = UserDraft & Recorded
export type AssistantEntry = AssistantDraft & Recorded
export type ResultEntry = ResultDraft & Recorded
export type EventEntry = EventDraft & Recorded
export type Entry = UserEntry | AssistantEntry | ResultEntry | EventEntry
