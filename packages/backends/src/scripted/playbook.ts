import type { Json, JsonObject, ModelRequest, ReplyFailure } from '@cadre/core'
import type { ModelFacts } from '../backend.ts'

/**
 * A playbook as a person writes it: what each agent's model answers, one lane per agent. In a file it is YAML with the
 * same keys.
 */
export interface Playbook {
  /** For readers only. */
  readonly description?: string
  readonly model?: ModelFacts
  /** Further names the playbook answers to, as `scripted:FILE#NAME`. When given, other names are unknown. */
  readonly models?: { readonly [name: string]: ModelFacts }
  /** What a request to summarise older rounds is answered with. Such a request takes no line of a lane. */
  readonly summary?: string
  /** By agent name. The lane `*` is for every agent without one. */
  readonly lanes: { readonly [agent: string]: Lane }
}

/** A list: every session of the agent plays it from the start. */
export type Lane = Steps | LaneTrack | LaneSessions

export interface LaneTrack {
  readonly steps?: Steps
  /** Played in every round after the last step, without end. */
  readonly default?: Step
}

/** Sessions that differ: each plays the first variant whose `when` fits its first user message. */
export interface LaneSessions {
  readonly sessions: readonly (LaneTrack & { readonly when?: Condition })[]
}

export type Steps = readonly Step[]

/** What happens in one round; in code it can also be made from the request. */
export type Step = Action | Choice | Block | ((request: ModelRequest) => Action)

/** One round, one of several actions: the first whose `when` fits. */
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
  /** What it must have been asked; otherwise the reply is a failure that says so. */
  readonly expect?: Condition
  /** Milliseconds before the answer. */
  readonly wait?: number
  /** In how many pieces the text arrives, and how many milliseconds apart. */
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
  /** The same call this many times in one reply; `{{call}}` tells them apart. */
  readonly repeat?: number
}

/** Text: contained in what it was asked now, or in its work. An object: all of it must hold. */
export type Condition =
  | string
  | {
      /** Contained in what came since its last reply: results of its calls, in order, and messages. */
      readonly last?: string | readonly string[]
      /** Contained in the session's first user message. */
      readonly work?: string | readonly string[]
      readonly system?: string | readonly string[]
      /** Contained in any message, however old. */
      readonly history?: string | readonly string[]
      /** Not contained in what came since its last reply. */
      readonly not?: string | readonly string[]
      /** `/pattern/flags` on what came since its last reply. */
      readonly matches?: string | RegExp
      /** Tools that were offered. */
      readonly tools?: string | readonly string[]
      /** Tools that were not offered. */
      readonly withoutTools?: string | readonly string[]
    }
