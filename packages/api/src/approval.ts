import type { Risk } from '@cadre/core'

/** An approval with everything that a person needs in order to decide, in full length. */
export interface Approval {
  readonly id: string
  readonly session: string
  readonly root: string
  readonly question: string
  readonly call: string
  readonly agent: string
  /** The chain of agents, from the entry session's agent to the one that asks. */
  readonly chain: readonly string[]
  readonly task?: string
  /** What the agent wrote about the call. A model wrote this text. */
  readonly purpose?: string
  readonly type: string
  /** The exact action. A decision must repeat it. */
  readonly action: string
  /** The call's arguments that the action does not show. */
  readonly more: readonly (readonly [name: string, value: string])[]
  readonly risk: Risk | null
  readonly reasons: readonly string[]
  readonly why: string
  /** Rules that `for: "rule"` would add. Empty if no rule can express the call. */
  readonly grants: readonly string[]
  /** The possible answers: `approve`, `approve-session`, `reject`, or `again`, `done` and `leave` for an interrupted call. */
  readonly choices: readonly string[]
  readonly created: string
  readonly status: 'pending' | 'approved' | 'rejected' | 'withdrawn'
  readonly decidedBy?: string
  readonly decidedAt?: string
  readonly reason?: string
  /** How many people must approve, and whose votes count. Absent if one approval is enough. */
  readonly needed?: {
    readonly quorum: number
    readonly roles: readonly string[]
    readonly notByStarter: boolean
  }
  readonly votes: readonly Vote[]
  /** The reason why this caller's decision would not count. Absent if it would count, and in the stream, which is the same for everyone. */
  readonly objection?: string
}

export interface Vote {
  readonly by: string
  readonly via: string
  readonly decision: string
  readonly at: string
  readonly reason?: string
}

export interface DecisionRequest {
  readonly decision: string
  /** The action that the person saw. If the action has changed, Cadre rejects the decision. */
  readonly action: string
  readonly reason?: string
  /** `session`: also approves similar calls in this session. `rule`: adds the rules in `grants`. Default: `once`. */
  readonly for?: 'once' | 'session' | 'rule'
}

export interface DecisionResult {
  /** False if the process that runs the session applies the decision later. */
  readonly recorded: boolean
  /** False while more people must approve. */
  readonly decided: boolean
  readonly decision: string
  readonly by: string
  readonly votes: readonly Vote[]
}
