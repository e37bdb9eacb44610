/** How many people must approve a call, and who counts. Recorded with the question, so that it does not change while people vote. */
export interface ApprovalRequirement {
  readonly quorum: number
  /** A person counts if they have one of these roles. */
  readonly roles: readonly string[]
  /** Set if the person who started the run does not count. */
  readonly notByStarter: boolean
}

/** How a vote reached Cadre. `api`: a program with a person's token. `file`: an approval form. `protocol`: a program that runs Cadre, such as an editor. */
export type VoteChannel = 'page' | 'api' | 'command' | 'file' | 'terminal' | 'slack' | 'protocol'

/** What one person said about a question that needs several approvals. */
export interface Vote {
  readonly decision: string
  /** The person. A person counts once, however often and through whatever channel they vote. */
  readonly by: string
  readonly via: VoteChannel
  readonly reason?: string
  /** The same for every delivery of one vote. A vote is recorded once. */
  readonly id?: string
  /** People whose earlier votes no longer count from this vote on, because they have lost the role or were removed. */
  readonly without?: readonly string[]
}

export interface RecordedVote extends Vote {
  readonly at: string
}
