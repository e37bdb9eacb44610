import type { Json, JsonObject, ModelRequest, ReplyFailure } from '@cadre/core'
import type { ModelInfo } from '../backend.ts'

/**
 * A playbook as written by a person: the replies of each agent's model, one lane per agent. In a file it is YAML with the
 * same keys.
 */
export interface Playbook {
  /** For readers only. */
  readonly description?: string
  readonly model?: ModelInfo
  /** Further model names of the playbook, as `scripted:FILE#NAME`. If set, other names are unknown. */
  readonly models?: { readonly [name: string]: ModelInfo }
  /** The reply to a request to summarise older rounds. Such a request uses no line of a lane. */
  readonly summary?: string
  /** By agent name. The lane `*` is for every agent without one. */
  readonly lanes: { readonly [agent: string]: Lane }
}

/** A list: every session of the agent plays it from the start. */
export type Lane = Steps | LaneTrack | LaneSessions

export interface LaneTrack {
  readonly steps?: Steps
  /** Played in every round after the last step, forever. */
  readonly default?: Step
}

/** Sessions that differ: each plays the first variant whose `when` matches its first user message. */
export interface LaneSessions {
  readonly sessions: readonly (LaneTrack & { readonly when?: Condition })[]
}

export type Steps = readonly Step[]

/** The action of one round; in code, it can be a function of the request. */
export type Step = Action | Choice | Block | ((request: ModelRequest) => Action)

/** One of several actions for a round: the first whose `when` matches. */
export interface Choice {
  readonly choose: readonly (Action & { readonly when?: Condition })[]
  readonly repeat?: number
}

/** Several steps, played `repeat` times one after the other. */
export interface Block {
  readonly steps: Steps
  readonly repeat: number
}

/** One of `reply` and `calls`, `fail`, or `hang`. */
export interface Action {
  readonly reply?: string
  readonly calls?: readonly ScriptedCall[]
  readonly fail?: string | Partial<Pick<ReplyFailure, 'code' | 'message' | 'tooLong'>>
  /** Never answers; ends when cancelled. */
  readonly hang?: boolean
  /** A condition on the request; if it is not met, the reply is a failure. */
  readonly expect?: Condition
  /** Milliseconds before the answer. */
  readonly wait?: number
  /** The number of pieces of the text, and their interval in milliseconds. */
  readonly stream?: number | { readonly pieces: number; readonly every?: number }
  readonly usage?: { readonly input: number; readonly output: number; readonly cost?: number }
  readonly stop?: 'length' | 'filtered'
  /** The same step in this many rounds. */
  readonly repeat?: number
}

export interface ScriptedCall {
  readonly tool: string
  readonly input?: JsonObject | { readonly [key: string]: Json | undefined }
  /** Instead of `input`: the arguments as raw text, valid JSON or not. */
  readonly arguments?: string
  readonly id?: string
  /** Repeats the call in one reply; `{{call}}` is the number of each. */
  readonly repeat?: number
}

/** Text: contained in the new messages, or in the work. An object: all conditions must be met. */
export type Condition =
  | string
  | {
      /** Contained in the messages since the last reply: results of calls, in order, and messages. */
      readonly last?: string | readonly string[]
      /** Contained in the session's first user message. */
      readonly work?: string | readonly string[]
      readonly system?: string | readonly string[]
      /** Contained in any message, however old. */
      readonly history?: string | readonly string[]
      /** Not contained in the messages since the last reply. */
      readonly not?: string | readonly string[]
      /** `/pattern/flags` on the messages since the last reply. */
      readonly matches?: string | RegExp
      /** Tools that were offered. */
      readonly tools?: string | readonly string[]
      /** Tools that were not offered. */
      readonly withoutTools?: string | readonly string[]
    }
