/**
 * Handles approvals that need several people: finds votes, checks who voted, and records each vote in the session's journal. Called only by
 * `createApprovals`.
 *
 * 1. Only votes in the journal count. The process that may write to the journal records pending votes.
 * 2. The login, the signed request or the operating system identifies the voter. Text in a form does not.
 * 3. Cadre does not read votes while a command is running that could have written them.
 * 4. Each new vote names the earlier voters who no longer count, so that the journal alone decides how many approvals there are.
 */
import { type Answer, CadreError, latestVotes, type Vote, votesIn } from '@cadre/core'
import { type Home, homeOwner, isUnsandboxedCommandRunning, withLock } from '@cadre/home'
import type { FileEngine } from '@cadre/journal'
import type { ApprovalForms, FormVote, TakeVoteResult } from './approval-forms.ts'
import type { ApprovalRecord } from './approval-record.ts'
import { startersOf } from './starters-of.ts'
import { openVoteFiles, type PendingVote } from './vote-files.ts'
import type { VoteRequest, Voter, Voters } from './voter.ts'

export interface CountOptions {
  readonly home: Home
  readonly engine: Pick<FileEngine, 'answer' | 'read'>
  readonly forms: ApprovalForms
  readonly voters: Voters
  readonly now: () => number
  readonly warn: (message: string) => void
}

/** An approval that needs several people. */
export type SharedApproval = ApprovalRecord & Required<Pick<ApprovalRecord, 'need'>>

type RequestedVote = SharedApproval & VoteRequest

export interface VoteCount {
  /** The folder with pending votes, for a watcher. */
  readonly folder: string
  /** Moves votes from the forms and the files into the journal. Resolves with whether it recorded any. */
  collect(record: SharedApproval): Promise<boolean>
  /** Records a vote, or keeps it for the process that runs the session. */
  cast(record: SharedApproval, answer: Answer, voter: Voter): Promise<VoteResult>
  /** Returns why a person's vote does not count, as a sentence without a period, or `undefined` if it does. */
  objectionTo(record: SharedApproval, voter: Voter): Promise<string | undefined>
  /** Removes pending votes on a decided approval. */
  clear(record: ApprovalRecord): void
}

/** `recorded`: in the journal. `answer`: set if the vote decides. `written`: in a file, for the process that runs the session. */
export type VoteResult =
  | { readonly kind: 'recorded'; readonly answer: Answer | undefined }
  | { readonly kind: 'written' }

export function needsSeveralPeople(record: ApprovalRecord): record is SharedApproval {
  return record.need !== undefined
}

export function createVoteCount(options: CountOptions): VoteCount {
  const { home, engine, forms, voters, warn } = options
  const files = openVoteFiles(home, { now: options.now, tell: warn })

  /** Why this person's decision does not count, as a sentence without a period. */
  const objection = (record: RequestedVote, voter: Voter, decision: string) => {
    if (record.choices.length > 0 && !record.choices.includes(decision))
      return `this approval cannot be answered with "${decision}"`
    return voters.objectionTo(voter, record)
  }
  /** Reads the journals of the whole tree, so this runs only if the policy requires it. */
  const withStarters = async (record: SharedApproval): Promise<RequestedVote> => ({
    ...record,
    starters: record.need.notByStarter
      ? await startersOf(record.session, { home, read: (id) => engine.read(id) })
      : [],
  })
  /** Call it while holding the forms' lock. */
  const takeFromForm = (record: RequestedVote, { answer, uid, where }: FormVote): TakeVoteResult => {
    const { decision, reason } = answer
    const voter = uid === undefined ? undefined : voters.ofUser(uid, 'file')
    const why =
      voter === undefined
        ? `Cadre cannot tell who wrote the decision, because other users may change the file. Use "cadre approve ${record.id}"`
        : objection(record, voter, decision)
    if (voter === undefined || why !== undefined) {
      warn(`${where}: the decision on ${record.id} does not count: ${why}.`)
      return { kind: 'taken', note: `this decision does not count: ${why}` }
    }
    // A file from this process would not prove that another user voted.
    if (uid !== process.getuid?.() && !vouches(process.getuid?.())) return { kind: 'left' }
    files.write(record.id, { decision, by: voter.name, via: 'file', ...(reason !== undefined && { reason }) })
    return { kind: 'taken' }
  }
  /** The home's owner and root can also change people's roles, so Cadre trusts them to name the voter. */
  const vouches = (uid: number | undefined) => uid === undefined || uid === 0 || uid === homeOwner(home).uid
  const voterOf = ({ by, via, uid }: Omit<PendingVote, 'id' | 'decision'>): Voter | undefined => {
    const voter = voters.named(by, via)
    return vouches(uid) || voters.ofUser(uid ?? -1, via).name === voter.name ? voter : undefined
  }
  /** A person may have got another name since their last vote, such as the first entry for their system user. They still count once. */
  const nameIn = ({ votes }: SharedApproval, { name, via }: Voter): string =>
    votes.find(({ by }) => voters.named(by, via).name === name)?.by ?? name
  /** The people whose earlier votes no longer count: they were removed, have lost the role, or have given work to the run since. */
  const lapsed = async (shared: RequestedVote, { by: voter }: Vote): Promise<readonly string[]> => {
    const stored = await engine.read(shared.session)
    const words = stored === undefined ? [] : latestVotes(votesIn(stored.entries, shared.question))
    return words.flatMap(({ by, via }) =>
      by !== voter && voters.objectionTo(voters.named(by, via), shared) !== undefined ? [by] : [],
    )
  }
  const record = async (
    shared: RequestedVote,
    vote: Vote,
  ): Promise<{ readonly answer: Answer | undefined } | undefined> => {
    const { session, question } = shared
    try {
      const without = await lapsed(shared, vote)
      return { answer: await engine.answer(session, question, { ...vote, without }) }
    } catch (error) {
      if (error instanceof CadreError && (error.code === 'owned' || error.code === 'not_found'))
        return undefined
      throw error
    }
  }

  return {
    folder: files.folder,
    async objectionTo(record, voter) {
      return voters.objectionTo(voter, await withStarters(record))
    },
    async collect(asked) {
      const shared = await withStarters(asked)
      if (isUnsandboxedCommandRunning(home)) return false
      const readings = forms.read(shared)
      for (const { where, reading } of readings)
        if (reading.kind === 'unclear') warn(`${where}: no valid decision for ${shared.id}: ${reading.why}`)
      if (readings.some(({ reading }) => reading.kind === 'decided'))
        await forms.takeVotes(shared, (vote) => takeFromForm(shared, vote))
      const waiting = files.read(shared.id)
      // Checked again: a command that started meanwhile could have written what was read.
      if (isUnsandboxedCommandRunning(home)) return false
      let isRecorded = false
      for (const { uid, ...vote } of waiting) {
        const voter = voterOf({ ...vote, ...(uid !== undefined && { uid }) })
        const why =
          voter === undefined
            ? `another user wrote the vote under the name ${vote.by}`
            : objection(shared, voter, vote.decision)
        if (voter === undefined || why !== undefined) warn(`a vote on ${shared.id} does not count: ${why}.`)
        else if ((await record(shared, { ...vote, by: nameIn(shared, voter) })) === undefined)
          return isRecorded
        else isRecorded = true
        files.remove(shared.id, vote.id)
      }
      return isRecorded
    },
    async cast(asked, { decision, reason }, voter) {
      const shared = await withStarters(asked)
      const why = objection(shared, voter, decision)
      if (why !== undefined) throw new CadreError('policy', `your vote does not count: ${why}.`)
      const { name, via } = voter
      const vote = { decision, by: name, via, ...(reason !== undefined && { reason }) }
      const recorded = await record(shared, { ...vote, by: nameIn(shared, voter) })
      if (recorded !== undefined) return { kind: 'recorded', ...recorded }
      const isWritten = await withLock(home, 'approvals', () => {
        if (isUnsandboxedCommandRunning(home)) return false
        files.write(shared.id, vote)
        return true
      })
      if (isWritten) return { kind: 'written' }
      throw new CadreError(
        'owned',
        `another process is running a command without a sandbox in session ${shared.session}. The command could forge decisions in files. Retry when it has ended.`,
      )
    },
    clear({ id }) {
      files.clear(id)
    },
  }
}
