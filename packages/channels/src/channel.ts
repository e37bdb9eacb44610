import type { Answer, JsonObject } from '@cadre/core'
import type { ApprovalRecord, Decided, Voter, Voters } from '@cadre/gate'
import type { Home } from '@cadre/home'
import type { RecordEvent } from './daemon-event.ts'
import type { Problems } from './problems.ts'

/** A connection for incoming and possibly outgoing messages. Its module is loaded only if it is configured. */
export interface Channel {
  readonly name: string
  /** Resolves when it can receive. Rejects with a `CadreError` that explains what to change in the configuration. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Shows a new approval, if the channel can. Called once per approval and start of the daemon. */
  asked?(record: ApprovalRecord): Promise<void>
  /** An approval was decided, here or elsewhere. */
  settled?(record: ApprovalRecord): Promise<void>
}

export interface ChannelContext {
  readonly home: Home
  /** `channels.<name>` of the configuration, as written. */
  readonly settings: JsonObject
  /** For secrets: the configuration contains names of variables, never values. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /**
   * Appends an incoming message to `inbox/<file>.jsonl`. Resolves when it is on disk: only then may it be acknowledged.
   * `known`: a line with this id already exists.
   */
  receive(file: string, line: JsonObject & { readonly id: string }): Promise<'new' | 'known'>
  /** The pending approvals. */
  approvals(): Promise<readonly ApprovalRecord[]>
  /** Rejects with `policy` if a policy requires several people, and this one does not count. */
  decide(id: string, answer: Answer, voter: Voter): Promise<Decided | 'unknown'>
  /** Finds out who decides. */
  readonly voters: Pick<Voters, 'ofSlack'>
  /** Handles `POST <path>` on the daemon's server, which listens on loopback unless configured otherwise. */
  onPost(path: string, handle: PostHandler): void
  readonly note: RecordEvent
  readonly problems: Problems
}

export interface PostRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The raw body, because signatures cover bytes. */
  readonly body: Uint8Array
}

export interface PostAnswer {
  readonly status: number
  readonly body?: string | JsonObject
}

export type PostHandler = (request: PostRequest) => Promise<PostAnswer>

/** By their names under `channels` in the configuration. */
export type ChannelFactories = Readonly<
  Record<string, (context: ChannelContext, name: string) => Channel | Promise<Channel>>
>
