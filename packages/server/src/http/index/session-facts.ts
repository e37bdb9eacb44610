import type { RowState } from '@cadre/api'
import type { Budget, ReportStatus, SpentBudget, Usage } from '@cadre/core'

/** What the index knows about one session. The totals for its subtree are computed from the facts of all sessions. */
export interface SessionFacts {
  readonly id: string
  agent: string
  parent?: string
  call?: string
  /** The entry session, according to the session's header. */
  root: string
  depth: number
  state: RowState
  outcome?: ReportStatus
  work: string
  doing?: string
  model?: string
  created: string
  updated: string
  usage: Usage
  /** What a budget counts of this session. */
  spent: SpentBudget
  calls: number
  /** Open questions to a person, with the call that each one is about. */
  readonly questions: Map<string, string>
  /** The number of questions that the session has asked so far. */
  asked: number
  budget?: Budget
  /** The session whose budget also pays for this one, because it created the task. */
  payer?: string
}
