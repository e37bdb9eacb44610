import type { Answer, QuestionId, ResumeOptions, StartRequest, StoredSession, Work } from '@cadre/core'
import type { LiveAnswer } from '../engine/live-events.ts'
import type { ReadSession, SessionEdit, TreeResult, TreeState } from '../tree-order.ts'

/**
 * Sends orders to the workers of one place, through the ingress of a Restate server. It runs no sessions and does not load the SDK.
 *
 * 1. A method that sends an order resolves when the server has stored it durably, not when a worker has carried it out. The server
 *    delivers the orders of one tree in order.
 * 2. Every order is safe to repeat: `start` by the session id, `tell` by `work.message`, `edit` by its id. If a method rejects, the server may
 *    have stored the order. The same order to this keeper within ten minutes is then a repetition, and is stored once.
 * 3. A method rejects with a `CadreError` of code `backend` if the server cannot be reached, with the address and the fix. A method that
 *    reads takes until a worker of the place is running, and rejects with `timeout` if `signal` aborts first. A method that sends an
 *    order other than a cancel reads how many orders wait for the tree. It rejects with `backend` if they are too many.
 * 4. `read` returns the archive, which is up to date when a tree rests. A running tree archives its record after 1 to 10 seconds if there is
 *    something new, and `refresh` asks it to do so immediately.
 */
export interface RestateKeeper {
  /**
   * Starts a tree, or resumes it if the session exists. The result of the run is in `state`, including a failed start. Rejects with `usage` if
   * the session has another agent or other work, because another home of the place has started it.
   */
  start(request: StartRequest & { readonly id: string }): Promise<void>
  /**
   * Sends a message to a session that is running, waiting or ended. Resolves to `missing` if the session does not exist. The server stores each
   * message once, or once for each `attempt`: with a new one, a message is sent again that the tree has rejected.
   */
  tell(
    session: string,
    work: Work & { readonly message: string },
    attempt?: string,
  ): Promise<'queued' | 'missing'>
  /**
   * Resumes the tree of a session. Without options, it has no effect while the tree runs. With options, it also resumes a session that a
   * person has cancelled, unless the cancel was sent later. If the tree runs, that happens when it rests. `once` identifies the order: any
   * keeper can repeat it with the same value, and the server stores it once.
   */
  resume(session: string, options?: Omit<ResumeOptions, 'work'>, once?: string): Promise<void>
  /**
   * Ends a session and everything below it permanently. Returns false if the session does not exist or has ended. Only a worker can answer
   * that: with `root`, the root of the session's tree, the order is stored without asking, even if no worker is running.
   */
  cancel(session: string, reason: string, known?: { readonly root: string }): Promise<boolean>
  /** Aborts the reply that a session is receiving. */
  interrupt(session: string): Promise<void>
  /** Answers a question and resumes the tree. Rejects with `not_found` if the session does not exist. */
  answer(question: QuestionId, answer: Answer): Promise<void>
  /** Replaces a session's record by what a person wrote. A running session continues with it in its next round. */
  edit(session: string, edit: SessionEdit): Promise<void>
  read(session: string): Promise<ReadSession | undefined>
  /** Asks the tree to archive its record, and resolves when it has or when the tree rests. */
  refresh(session: string): Promise<void>
  /** Reads which sessions of a tree have changed, and then only those. */
  readTree(root: string): Promise<ReadTree>
  /**
   * Returns the events of a running tree that are not recorded, such as text of a reply in flight, since the cursor. Waits for news a short
   * time. `away`: another worker runs the tree, or none. Nothing is kept for a client that asks later.
   */
  live(root: string, after: string | undefined, signal: AbortSignal): Promise<LiveAnswer>
  /** The ids of all archived sessions of a tree. */
  sessions(root: string): Promise<readonly string[]>
  rootOf(session: string): Promise<string | undefined>
  /** The state of the tree of a session. */
  state(session: string): Promise<TreeState>
  /**
   * Calls `listener` when a tree that this keeper started, resumed or sent a message to rests. Another process may do the same. After a
   * restart, call `watch` for the trees whose outcome you still need. Returns a function that removes the listener.
   */
  onRest(listener: (root: string, result: TreeResult) => void): () => void
  /** Calls `listener` when such a tree has archived its record and still runs. */
  onChange(listener: (root: string) => void): () => void
  /**
   * Calls `listener` when another tree of the place has rested or archived its record, and without a root if any of them may have, such as at
   * the beginning.
   */
  onOtherChange(listener: (root: string | undefined) => void): () => void
  /**
   * Calls `listener` with the reason when no worker of the place answers, and with `undefined` when one does again. Only while this keeper
   * waits for changes.
   */
  onProblem(listener: (problem: string | undefined) => void): () => void
  watch(root: string): void
  /** Stops watching. Orders that were sent remain with the server. */
  close(): void
}

/** The archived sessions of a tree. */
export interface ReadTree {
  /** For each session a text that changes whenever its record does. */
  readonly sessions: ReadonlyMap<string, string>
  read(session: string): Promise<StoredSession | undefined>
}

export interface RestateKeeperOptions {
  /** The address of the server's ingress, such as `http://127.0.0.1:8080`. */
  readonly ingress: string
  /** The place whose workers receive the orders: letters, digits and hyphens. */
  readonly place: string
  /** Added to requests, for an ingress behind a proxy that requires a token. */
  readonly headers?: Readonly<Record<string, string>>
  /** The shortest time between two requests for the trees that have changed, in milliseconds. Default: 500. */
  readonly pollInterval?: number
  /** How often all watched trees are read, because a worker of an older version reports no changes. Default: 60,000 milliseconds. */
  readonly compareInterval?: number
  /** Aborts all requests of this keeper. */
  readonly signal?: AbortSignal
}
