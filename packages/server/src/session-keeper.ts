import type { Controls, Isolation, RunResult, SessionSpec, Work } from '@cadre/core'

/** The state of a session as the daemon sees it. */
export type KeptSessionState =
  | { readonly kind: 'absent' }
  /** Runs here, or is queued to run. `stuck`: why its last run failed; it is retried when something changes. */
  | { readonly kind: 'running'; readonly stuck?: string }
  /** Runs in another process. */
  | { readonly kind: 'elsewhere'; readonly pid: number }
  /** Waiting for a person. */
  | { readonly kind: 'waiting' }
  | {
      readonly kind: 'ended'
      readonly outcome: 'completed' | 'incomplete' | 'error' | 'cancelled'
      readonly text: string
      /** The reason, if it failed. */
      readonly reason?: string
    }
  /** Its file is invalid. */
  | { readonly kind: 'broken'; readonly message: string }

/** A message to a session. The session receives it once under this id. */
export type MessageWork = Work & { readonly message: string }

/** How a session is started. */
export interface SessionStart {
  readonly agent: string
  readonly controls?: Controls
  /** The session that created this task or sent the message. If it has a budget, the budget pays for this session. */
  readonly charged?: string
  /** Default: the daemon's workspace. */
  readonly workspace?: string
  /** Other sessions write at the same time, so an agent that can write gets its own workspace. */
  readonly parallel?: boolean
  /** Sessions whose results it continues. */
  readonly from?: readonly string[]
  /** The person who started it, from a login or from Slack. Never from the content of a request. Default: the system user of the daemon. */
  readonly startedBy?: string
  /** The conversation that it continues. */
  readonly history?: SessionSpec['history']
  readonly model?: string
  /** How the workspace is isolated, if it belongs to another session. */
  readonly isolation?: Isolation
  /** The caller shows a start that fails as its own failure, so the start is not repeated. */
  readonly reportsFailure?: true
}

export interface KeepRequest extends SessionStart {
  /** Chosen by the caller, so that a repeated request after a crash finds the same session. */
  readonly id: string
  readonly work: Work
}

/**
 * The only port through which the daemon starts, resumes and cancels sessions and sends them messages. `createSessionKeeper` implements it
 * for a process that runs the sessions itself. A client of another engine can implement it by sending requests to the process that runs the
 * tree.
 *
 * 1. Callers never wait for a session. `start` and `tell` return when the request is stored where a crash cannot lose it; requests for one
 *    session are delivered in order, each once.
 * 2. Requests and results are plain data that can be sent as JSON. No orchestrator, engine or signal crosses this port.
 * 3. Every request is safe to repeat, by session or message id, so a client may resend it after a lost response.
 * 4. A process that was not running misses `onRest`. A caller that needs an outcome reads `state` when it starts.
 */
export interface SessionKeeper {
  /** Other processes write the session files, so a session begins only with a request to start it. */
  readonly isRemote?: true
  /**
   * Starts this session, or resumes it if it exists: safe to repeat. Returns as soon as the start is queued; `onRest` reports the
   * outcome, including a failed start that is not repeated. Rejects with a `CadreError` when the agent or model is unknown; nothing is queued then.
   */
  start(request: KeepRequest): Promise<void>
  /**
   * Queues a message for a session that is running, sleeping or ended; the session continues with it. Safe to repeat: each
   * `work.message` is delivered once. A message that cannot be delivered stays queued and is retried. If the session does not
   * exist, `begin` starts it; without `begin`, the result is `missing`. Rejects when the message cannot be queued.
   */
  tell(session: string, work: MessageWork, begin?: SessionStart): Promise<'queued' | 'missing'>
  /** Returns whether a message is queued for a session or recorded by it. */
  delivery(session: string, message: string): Promise<'unknown' | 'queued' | 'delivered'>
  /** Resumes a session, or the tree it belongs to, if it has work to do. */
  resume(session: string): Promise<void>
  /**
   * Resumes a session for a person, as `cadre resume` does: also one that was cancelled or ended with an error. Rejects with the reason if
   * the session may not be resumed, or if its run fails immediately.
   */
  resumeOnRequest(session: string): Promise<void>
  /** Ends a session permanently and drops its queued requests. Returns true unless it had already ended. */
  cancel(session: string, reason: string): Promise<boolean>
  state(session: string): Promise<KeptSessionState>
  /** Calls `listener` when an entry session ends or waits. Returns a function that removes the listener. */
  onRest(listener: (session: string, result: RunResult) => void): () => void
}
