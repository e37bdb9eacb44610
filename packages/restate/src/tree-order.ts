import type {
  Answer,
  Entry,
  ErrorCode,
  ResumeOptions,
  RunResult,
  StartRequest,
  StoredSession,
  Work,
} from '@cadre/core'
import type { Packed } from './log/packed.ts'

/**
 * An order to run a tree, as plain data. A worker may receive an order several times, because a later attempt repeats it, so every order
 * must be safe to repeat.
 */
export type TreeOrder =
  /** Starts the tree, or resumes it if it exists. */
  | { readonly kind: 'start'; readonly request: StartRequest }
  | { readonly kind: 'resume'; readonly session: string; readonly options?: Omit<ResumeOptions, 'work'> }
  /** Delivers a message to a tree that is not running. */
  | { readonly kind: 'message'; readonly message: TreeMessage }
  /** Carries out the orders in the mailbox of the tree, if there are any. */
  | { readonly kind: 'wake' }
  /** The process that sends the order runs the orchestrator itself and only needs the log. */
  | { readonly kind: 'lend' }

/** An order in the mailbox of a tree. The numbers of a tree increase. */
export interface BoxedOrder {
  readonly n: number
  readonly order: Packed<TreeOrder>
}

/** A message to a tree. It reaches the tree while it runs, and otherwise wakes it. */
export type TreeMessage =
  | { readonly kind: 'answer'; readonly session: string; readonly name: string; readonly answer: Answer }
  /** `work.message` must be set: a session receives each message id once. */
  | { readonly kind: 'tell'; readonly session: string; readonly work: Work }
  | { readonly kind: 'resume'; readonly session: string }
  /** Ends a session and everything below it permanently. */
  | { readonly kind: 'cancel'; readonly session: string; readonly reason: string }
  | { readonly kind: 'interrupt'; readonly session: string }
  | ({ readonly kind: 'edit'; readonly session: string } & SessionEdit)
  /** Writes the record to the archive now, so that other processes can read it. */
  | { readonly kind: 'archive' }

/** The order has no effect on a tree that is not running. */
export function needsRunningTree(order: TreeOrder | null): boolean {
  return order?.kind === 'message' && (order.message.kind === 'archive' || order.message.kind === 'interrupt')
}

export function isCancel(order: TreeOrder | null): boolean {
  return order?.kind === 'message' && order.message.kind === 'cancel'
}

/** A person's change to a session's record, such as an edit of its session file. */
export interface SessionEdit {
  /** Recorded with the edit, in the event `journal.edited`. An edit whose id is in the record has no effect. */
  readonly id: string
  /** The whole new record. */
  readonly entries: readonly Entry[]
  /** The number of the last entry of the record that the person edited. Entries that the session has recorded since are kept. */
  readonly base: number
  readonly systemPrompt?: string
  /** One sentence for the session's record. */
  readonly summary: string
  /** Resumes the session if its tree rests. Without it, only the record changes. */
  readonly resumes?: boolean
}

/** How a tree rests. */
export type RestResult =
  | RunResult
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string }

/** How an order ended. */
export type TreeResult =
  | RestResult
  /** The tree continues in another invocation, with an order that this one has queued. */
  | { readonly kind: 'continued' }

export type TreeState =
  | { readonly kind: 'absent' }
  /** `notice`: why it makes no progress. */
  | { readonly kind: 'running'; readonly notice?: string }
  /** The result of the last run. */
  | { readonly kind: 'rested'; readonly result: TreeResult }

/** A session as the archive has it. `isRunning`: its tree runs, so the record may be longer. */
export type ReadSession = StoredSession & { readonly isRunning: boolean }
