import type { AssistantDraft, Image, ResultDraft, WireCall } from './entry.ts'
import type { ErrorCode } from './errors.ts'
import type { Usage } from './report.ts'
import type { JsonSchema } from './schema.ts'

/**
 * What the model is shown. A message object is never changed after it was made and is passed again, the same object,
 * in every later request of its session: a backend may keep its serialised form in a WeakMap.
 */
export type Message =
  | { readonly role: 'user'; readonly content: string; readonly images?: readonly Image[] }
  | Pick<AssistantDraft, 'role' | 'content' | 'tool_calls'>
  | Pick<ResultDraft, 'role' | 'tool_call_id' | 'content' | 'images'>

/** A tool as a model sees it. The list of a session is the same array in every request. */
export interface ToolOffer {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

export interface ModelRequest {
  /** Who asks: the scripted backend picks its lane by this. */
  readonly agent: string
  readonly session: string
  /** The session that delegated to it and may be waiting for it: a backend must not let it wait for that one in turn. */
  readonly parent?: string
  /** The round this question opens, from 1. */
  readonly round: number
  readonly system: string
  readonly messages: readonly Message[]
  readonly tools: readonly ToolOffer[]
  /** The hard limit on output tokens of this reply, set when there is a budget. */
  readonly maxOutput?: number
  /** Absent for a round; `summary` when older rounds are to be put into few words. */
  readonly purpose?: 'summary'
}

export interface Reply {
  readonly kind: 'reply'
  readonly content: string | null
  readonly calls: readonly WireCall[]
  readonly usage?: Usage
  /** The model that really answered, when the backend says it. */
  readonly model?: string
  readonly stop?: 'length' | 'filtered'
}

/** The question could not be answered; retries are already behind us. */
export interface ReplyFailure {
  readonly kind: 'failed'
  readonly code: Extract<
    ErrorCode,
    'backend' | 'unknown_model' | 'tools_unsupported' | 'timeout' | 'cancelled'
  >
  readonly message: string
  /** The request was too long for the model's window. */
  readonly tooLong?: boolean
  /** The usage of the last request. Absent when unknown: a budget then counts the request in full. */
  readonly spent?: Spent
}

/** The usage of a request without a reply: `nothing` when it did not arrive or the server refused it. */
export type Spent = Usage | 'nothing'

export interface ReplyHooks {
  /** A piece of text as it arrives. Transient: never the source of the final text. */
  readonly text: (delta: string) => void
  /** The question has to be asked again after a wait: somebody who watches should know why nothing happens. */
  readonly delayed?: (reason: string, ms: number) => void
  /**
   * Called before each retry, with the usage of the previous request, or `undefined` when that is unknown. Each request counts
   * against a budget. Returns the new limit of the reply, or `undefined` when the retry must not be sent.
   */
  readonly again?: (spent: Spent | undefined) => Promise<{ readonly maxOutput: number } | undefined>
  /** Something a person should know, such as a quota that runs out. It is recorded with the session. */
  readonly notice?: (code: string, message: string) => void
}

/** One model, ready to be asked. */
export interface Model {
  /** `backend:name`, as `--model` takes it. */
  readonly id: string
  /** Tokens that fit into one request and its reply, when known. */
  readonly window?: number
  /** The most tokens it can write in one reply, when known. */
  readonly maxOutput?: number
  /** True when no reply is longer than the `maxOutput` of its request. Required for budgets of tokens or money. */
  readonly capsReplies?: true
  /** Set when it is known that the model cannot call tools: a question that offers some is not sent. */
  readonly supportsTools?: false
  /** US dollars per million tokens, when known. */
  readonly price?: { readonly input: number; readonly output: number }
  /** One question, one reply, streamed. Must not throw or reject: failures are values. Ends promptly when aborted. */
  reply(request: ModelRequest, hooks: ReplyHooks, signal: AbortSignal): Promise<Reply | ReplyFailure>
  /**
   * The session has ended, sleeps, or was lost to another process: what the backend keeps for it between questions can go. A server
   * that runs its own loop, and waits for the result of a call, is told to stop here. Must not throw.
   */
  release?(session: string): void
}

export type ModelResolution =
  | {
      readonly kind: 'found'
      readonly model: Model
      readonly warning?: string
      /** Set when there is no such model, and another one takes its place. */
      readonly standIn?: true
    }
  | {
      readonly kind: 'unknown'
      readonly name: string
      readonly nearest: readonly string[]
      readonly reason: string
      /** Set when there is such a model, and it may not be used. */
      readonly code?: Extract<ErrorCode, 'policy'>
      /** True: nobody could say whether the name is right, because its backend is not installed, not signed in to, or does not answer. */
      readonly unreachable?: boolean
    }

/** The catalogue over all backends. */
export interface Models {
  /** `name` as a person or an agent file wrote it; `undefined` means the default. Asked before a session starts. */
  resolve(name: string | undefined): Promise<ModelResolution>
  /** Ends the processes that backends have started. They also end with this process. */
  close?(): Promise<void>
}
