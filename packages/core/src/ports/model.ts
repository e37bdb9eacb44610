import type { AssistantDraft, Image, Reasoning, ResultDraft, WireCall } from './entry.ts'
import type { ErrorCode } from './errors.ts'
import type { JsonObject } from './json.ts'
import type { Usage } from './report.ts'
import type { JsonSchema } from './schema.ts'

/**
 * A message to the model. Message objects never change, and every later request of the session contains the same objects. A backend
 * may therefore cache their serialised form in a `WeakMap`.
 */
export type Message =
  | { readonly role: 'user'; readonly content: string; readonly images?: readonly Image[] }
  | Pick<AssistantDraft, 'role' | 'content' | 'tool_calls' | 'reasoning'>
  | Pick<ResultDraft, 'role' | 'tool_call_id' | 'content' | 'images'>

/** A tool as the model sees it. Every request of a session contains the same array of offers. */
export interface ToolOffer {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

export interface PermittedEffects {
  /** The agent may edit files in the workspace. */
  readonly edits: boolean
  /** The agent may run programs. */
  readonly programs: boolean
}

export interface ModelRequest {
  /** The agent that sends the request. The scripted backend chooses its lane by this name. */
  readonly agent: string
  readonly session: string
  /** The session that delegated to this one and may be waiting for it. A backend must not make this request wait for that session. */
  readonly parent?: string
  /** The absolute path of the folder that the session may change. For backends whose program works in it. */
  readonly workspace?: string
  /** What the session's agent may do at all. For backends whose program has tools that the gate does not see. */
  readonly permits?: PermittedEffects
  /** The number of the round that this request starts, from 1. */
  readonly round: number
  readonly system: string
  readonly messages: readonly Message[]
  readonly tools: readonly ToolOffer[]
  /** The hard limit for output tokens of the reply. Set if there is a budget. */
  readonly maxOutput?: number
  /** `summary`: the model is asked to summarise older rounds. Absent for a normal round. */
  readonly purpose?: 'summary'
  /**
   * A JSON Schema of the final reply. A backend whose API has structured output passes it on. Cadre validates the reply in any case, and the
   * prompt contains the schema.
   */
  readonly outputSchema?: JsonObject
}

export interface Reply {
  readonly kind: 'reply'
  readonly content: string | null
  readonly calls: readonly WireCall[]
  /** Recorded with the reply, and part of its message in later requests. */
  readonly reasoning?: Reasoning
  readonly usage?: Usage
  /** The model that answered, if the backend reports it. */
  readonly model?: string
  readonly stop?: 'length' | 'filtered'
}

/** The request failed, after all retries of the backend. */
export interface ReplyFailure {
  readonly kind: 'failed'
  readonly code: Extract<
    ErrorCode,
    'backend' | 'unknown_model' | 'tools_unsupported' | 'timeout' | 'cancelled'
  >
  readonly message: string
  /** True if the request did not fit into the model's context window. */
  readonly tooLong?: boolean
  /** True if the server rejected the key, or requires one. */
  readonly rejectsKey?: boolean
  /** The usage of the last request. If it is absent, budgets charge the whole reservation of the request. */
  readonly spent?: Spent
}

/** The usage of a request without a reply. `nothing`: it did not reach the server, or the server rejected it. */
export type Spent = Usage | 'nothing'

export interface ReplyHooks {
  /** Receives text as it is streamed. Only for display: the final text is in the reply. */
  readonly text: (delta: string) => void
  /**
   * Called when the backend waits, so that the user can see the reason for the delay. `ms`: the time before a retry. Without it, the backend
   * waits for an answer. Nothing is recorded.
   */
  readonly delayed?: (reason: string, ms?: number) => void
  /**
   * Called before each retry, with the usage of the previous request, or `undefined` if it is unknown. Budgets charge every request.
   * Returns the new limit for the reply, or `undefined` if the backend must not retry.
   */
  readonly again?: (spent: Spent | undefined) => Promise<{ readonly maxOutput: number } | undefined>
  /** Reports something to the user, such as a low quota. The session records it. */
  readonly notice?: (code: string, message: string) => void
}

/** In US dollars per million tokens. Cached tokens without a separate price cost as much as other input. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** A model that is ready for requests. */
export interface Model {
  /** `backend:name`, as in `--model`. */
  readonly id: string
  /** The size of the context window in tokens, for a request and its reply, if known. */
  readonly window?: number
  /** The maximum number of tokens in a reply, if known. */
  readonly maxOutput?: number
  /** True if no reply exceeds the `maxOutput` of its request. Budgets for tokens or cost require it. */
  readonly capsReplies?: true
  /** False if the model is known not to support tools. Cadre then sends it no requests with tools. */
  readonly supportsTools?: false
  readonly price?: Price
  /** Sends a request and streams the reply. Must not throw or reject: failures are values. Must end promptly when aborted. */
  reply(request: ModelRequest, hooks: ReplyHooks, signal: AbortSignal): Promise<Reply | ReplyFailure>
  /**
   * Called when the session has ended, is suspended, or was taken over by another process. The backend can free what it keeps for the
   * session, and must stop a server that runs its own loop and waits for the result of a call. Must not throw.
   */
  release?(session: string): void
}

export type ModelResolution =
  | {
      readonly kind: 'found'
      readonly model: Model
      readonly warning?: string
      /** Set if the requested model does not exist and this one is used instead. */
      readonly standIn?: true
    }
  | {
      readonly kind: 'unknown'
      readonly name: string
      readonly nearest: readonly string[]
      readonly reason: string
      /** `policy`: the model exists, but a policy does not allow it. */
      readonly code?: Extract<ErrorCode, 'policy'>
      /** True if Cadre cannot check the name, because the backend is not installed, not signed in or does not respond. */
      readonly unreachable?: boolean
      /** True if no other model may replace it. */
      readonly firm?: boolean
    }

/** The models of all backends. */
export interface Models {
  /** Finds a model by the name that a user or an agent file gives, or the default model. Called before a session starts. */
  resolve(name: string | undefined): Promise<ModelResolution>
  /** Stops the processes that backends have started. They also end with this process. */
  close?(): Promise<void>
}
