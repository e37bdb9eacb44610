import type { Budget, ReportStatus, SpentBudget, Usage } from '@cadre/core'

/** `stopped`: the session was working when its process ended. `cadre resume` continues it. */
export const rowStates = ['queued', 'working', 'waiting', 'ended', 'stopped'] as const

export type RowState = (typeof rowStates)[number]

/** A session in a list or a tree. The stream sends a new version whenever one of its fields has changed. */
export interface SessionRow {
  readonly id: string
  readonly agent: string
  /** The session that delegated to this one. */
  readonly parent?: string
  /** The parent's call that started this session. */
  readonly call?: string
  /** The tree's entry session. */
  readonly root: string
  readonly depth: number
  readonly state: RowState
  /** Only for an ended session. */
  readonly outcome?: ReportStatus
  /** The beginning of its work, in one line. */
  readonly work: string
  /** The session's current activity in a few words, such as "runs npm test". Only while it is working or waiting. */
  readonly doing?: string
  readonly model?: string
  readonly created: string
  readonly updated: string
  /** Only for this session. `subtree` contains the totals. */
  readonly usage: Usage
  readonly subtree: Subtree
  /** The number of the stream's event with which this row was written. Ignore events with this number or a lower one. */
  readonly seq: number
}

/** A session and all sessions below it. */
export interface Subtree {
  readonly sessions: number
  readonly calls: number
  /** The number of pending approvals and interrupted calls. */
  readonly waiting: number
  readonly usage: Usage
  /** The hard limit for this subtree, if the session has one. */
  readonly budget?: Budget
  /**
   * How much of the budget is spent. It can be more than `usage`: a request whose usage is unknown counts with everything that was reserved
   * for it, and tasks that a session below created count as well. Only with `budget`.
   */
  readonly spent?: SpentBudget
}
