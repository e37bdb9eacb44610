import type { Answer, JsonObject } from '@cadre/core'
import type { ApprovalRecord, Decided } from '@cadre/gate'
import type { Home } from '@cadre/home'
import type { Note } from './happening.ts'
import type { Problems } from './problems.ts'

/** A way in from outside, and perhaps out again. Its module is loaded only when it is configured. */
export interface Channel {
  readonly name: string
  /** Returns when it can receive. Rejects with a `CadreError` that says what to change in the configuration. */
  start(): Promise<void>
  stop(): Promise<void>
  /** A person is asked for something: where the channel can show it, it does. Said once per approval and start of the daemon. */
  asked?(record: ApprovalRecord): Promise<void>
  /** It was decided, here or elsewhere. */
  settled?(record: ApprovalRecord): Promise<void>
}

export interface ChannelContext {
  readonly home: Home
  /** `channels.<name>` of the configuration, as it was written. */
  readonly settings: JsonObject
  /** For secrets: the configuration names variables, never values. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /**
   * Puts what came in into `inbox/<file>.jsonl`. Comes back when it is on disk: only then may the sender be told that it arrived.
   * `known` when a line with this id is there already.
   */
  receive(file: string, line: JsonObject & { readonly id: string }): Promise<'new' | 'known'>
  /** What waits for a person. */
  approvals(): Promise<readonly ApprovalRecord[]>
  decide(id: string, answer: Answer): Promise<Decided | 'unknown'>
  /** Answers `POST <path>` of the daemon's own server, which is on loopback unless configured otherwise. */
  onPost(path: string, handle: PostHandler): void
  readonly note: Note
  readonly problems: Problems
}

export interface PostRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** As it came: signatures are over bytes. */
  readonly body: Uint8Array
}

export interface PostAnswer {
  readonly status: number
  readonly body?: string | JsonObject
}

export type PostHandler = (request: PostRequest) => Promise<PostAnswer>

/** By the names under `channels` in the configuration. */
export type ChannelFactories = Readonly<
  Record<string, (context: ChannelContext, name: string) => Channel | Promise<Channel>>
>
