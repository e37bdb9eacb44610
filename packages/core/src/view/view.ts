import type { OutcomeKind } from '../ports/entry.ts'
import type { DecidedBy, Risk } from '../ports/gate.ts'
import type { Notice, Report, SpentBudget, Usage } from '../ports/report.ts'

/**
 * A call's status. `pending`: the model requested it, and no decision was made yet. `running`: it was started and has no result; a
 * delegation is running as long as the caller waits for it. `waiting`: a person has to decide. The other values are outcomes; a call that
 * was still open when its session ended is `cancelled`.
 */
export type CallStatus = 'pending' | 'running' | 'waiting' | OutcomeKind

/** The gate's last decision about a call. */
export interface CallVerdict {
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly by: DecidedBy
  readonly rule?: string
  readonly reason?: string
  readonly risk?: Risk
  readonly reasons?: readonly string[]
  /** What the tool receives, if a hook or a rule has changed the input. */
  readonly input?: string
}

/** A person's decision about a call. */
export interface PersonDecision {
  readonly decision: string
  readonly by?: string
  readonly reason?: string
  readonly at: string
}

/** A call as a surface shows it. */
export interface CallView {
  readonly id: string
  name: string
  input: string
  status: CallStatus
  /** The session that a delegation has started. */
  child?: string
  /** What a running call is doing now. */
  progress?: string
  content?: string
  code?: string
  verdict?: CallVerdict
  /** The decision that made Cadre ask a person. `verdict` is the one after the answer. */
  held?: CallVerdict
  /** The last answer of a person, if one was asked about this call. */
  person?: PersonDecision
  /** When it first started. Absent if it never ran. */
  startedAt?: string
  settledAt?: string
}

export interface RoundView {
  readonly roundId: number
  reply: string
  /** When the model was asked. A journal does not record that: a round that was read from one starts after the entry before its reply. */
  startedAt?: string
  /** When the reply arrived. Absent while it is in flight. */
  repliedAt?: string
  usage?: Usage
  /** Under a budget for requests: what it had counted for the session when the reply arrived. */
  spent?: SpentBudget
  /** The reason why the report of this round was returned. */
  sentBack?: string
  readonly toolCalls: CallView[]
}

export interface SessionView {
  readonly id: string
  readonly agent: string
  readonly work: string
  readonly depth: number
  readonly parent?: { readonly session: string; readonly call: string }
  /** For a teammate: its team, and its name in the team. */
  readonly team?: { readonly name: string; readonly member: string }
  model: string
  state: 'queued' | 'working' | 'waiting' | 'ended'
  /** In the order of their numbers. */
  readonly rounds: RoundView[]
  /** Only of this session. Its report has the usage of the subtree. */
  usage: Usage
  /** The number of settled calls. */
  calls: number
  readonly children: string[]
  readonly notices: Notice[]
  /** Open questions to a person, by name. */
  readonly questions: Map<
    string,
    { readonly text: string; readonly call: string; readonly choices: readonly string[] }
  >
  readonly startedAt: string
  updatedAt: string
  /** Why the reply of the model takes long. Absent after every other event. */
  delayed?: string
  report?: Report
}

/** Everything a surface shows of the sessions it follows. State is a fold over events, the same on every surface. */
export interface View {
  readonly sessions: Map<string, SessionView>
  /** Sessions whose parent is not in the view. */
  readonly roots: string[]
}
