/**
 * A home's approvals: pending requests, the forms that show them, and how decisions reach the session.
 *
 * 1. The decision is the first answer in the session's journal. Forms are one way to give it.
 * 2. A form is valid only if it shows the action in the journal, and never while a command is running that could write to it.
 * 3. If two forms contradict each other, the order is unknown, so the approval is rejected.
 * 4. If a policy requires several people, every decision is a vote, and `count-votes.ts` identifies the voter. People vote either through
 *    `decide` or in the forms.
 */
import { type Answer, CadreError, isPermission, messageOf, type Question } from '@cadre/core'
import { type Home, isUnsandboxedCommandRunning } from '@cadre/home'
import type { FileEngine } from '@cadre/journal'
import { createApprovalForms } from './approval-forms.ts'
import type { ApprovalRecord } from './approval-record.ts'
import { approvalsIn } from './approvals-in.ts'
import { createVoteCount, needsSeveralPeople, type SharedApproval } from './count-votes.ts'
import { answerFor } from './decision-words.ts'
import { requirePerson } from './require-person.ts'
import { createVoters, type Voter, type Voters } from './voter.ts'
import { watchForms } from './watch-forms.ts'

export interface ApprovalsOptions {
  readonly home: Home
  /** The journals. */
  readonly engine: Pick<FileEngine, 'read' | 'list' | 'answer'>
  readonly clock: { now(): number }
  /** The user to record for a decision without a name: the system user. */
  readonly user: string | undefined
  /** Receives messages about the forms, one sentence each. */
  readonly tell: (message: string) => void
  /** Called for each decision found in a form. By default, the message in `tell` includes how to continue. */
  readonly taken?: (record: ApprovalRecord, answer: Answer) => void
}

export interface Approvals {
  /** Shows a question to people, unless it is already shown. Resolves with undefined if the journal does not contain it. */
  publish(session: string, question: Question): Promise<ApprovalRecord | undefined>
  /** Returns the current decision in the forms. Undefined if the approval needs several people: `collect` records their votes. */
  decisionFor(record: ApprovalRecord): Answer | undefined
  /** Resolves when a form has a decision. Resolves with undefined if `signal` aborts. */
  watch(record: ApprovalRecord, signal: AbortSignal): Promise<Answer | undefined>
  /** For an approval that needs several people: records the votes in the forms and files. Resolves with the record after that. */
  collect(record: ApprovalRecord): Promise<ApprovalRecord>
  /** Calls `collect` whenever the forms change, until `signal` aborts. */
  follow(record: ApprovalRecord, signal: AbortSignal): Promise<void>
  /** Identifies voters. */
  readonly voters: Voters
  /** Returns why a person's vote on an approval does not count, as a sentence without a period, or `undefined` if it does. */
  objectionTo(record: SharedApproval, voter: Voter): Promise<string | undefined>
  /** Updates the forms of a question from the journal. */
  settle(session: string, question: string): Promise<void>
  /**
   * Records a decision. If another process is running the session, or the session ended with the question open, writes it to a
   * file, where it is found later. Resolves with the first decision, which applies. If the approval needs several people, the decision is
   * `voter`'s vote; rejects with `policy` if it does not count. Otherwise `answer.by` names the person, with `voter` as the default.
   */
  decide(record: ApprovalRecord, answer: Answer, voter: Voter): Promise<Decided>
  /** Returns the pending approvals, or all of them, as the journals show them. Changes nothing. */
  read(options?: ListOptions): Promise<readonly ApprovalRecord[]>
  /** Like `read`, but first applies decisions made in forms, and updates forms and journals. */
  list(options?: ListOptions): Promise<readonly ApprovalRecord[]>
  /** Updates the known forms, without searching for sessions that they do not mention. */
  reconcile(): Promise<void>
  /** Makes changes that were delayed until a command ended. */
  catchUp(): Promise<void>
}

export interface ListOptions {
  readonly all?: boolean
  /** Only these sessions' approvals. Reads only their journals. */
  readonly sessions?: readonly string[]
}

/**
 * `recorded`: in the journal. `written`: in a file, for the process that runs the session. `voted`: it counts as a vote, and more people
 * must approve.
 */
export interface Decided {
  readonly kind: 'recorded' | 'written' | 'voted'
  /** The decision that applies, or the vote. */
  readonly answer: Answer
  /** The approval after the decision, with the votes so far. */
  readonly record: ApprovalRecord
}

export function createApprovals(options: ApprovalsOptions): Approvals {
  const { home, engine, clock, user, tell } = options
  const forms = createApprovalForms(home, tell)
  const told = new Set<string>()
  const warn = (message: string) => {
    if (told.has(message)) return
    told.add(message)
    tell(message)
  }
  const voters = createVoters(home, warn)
  /** The votes of people who have lost their role since. The next vote records this in the journal. */
  const withoutLapsed = (record: ApprovalRecord): ApprovalRecord => {
    const { need, status } = record
    if (need === undefined || status !== 'pending') return record
    const request = { need: { ...need, notByStarter: false }, starters: [] }
    const isValid = ({ by, via }: ApprovalRecord['votes'][number]) =>
      voters.objectionTo(voters.named(by, via), request) === undefined
    return { ...record, votes: record.votes.filter(isValid) }
  }
  const recordsOf = async (session: string): Promise<ApprovalRecord[]> => {
    try {
      const stored = await engine.read(session)
      return stored === undefined ? [] : approvalsIn(stored).map(withoutLapsed)
    } catch (error) {
      // One unreadable journal must not hide the others.
      warn(`cannot read the approvals of session ${session}: ${messageOf(error)}`)
      return []
    }
  }
  const reading = new Map<string, Promise<ApprovalRecord[]>>()
  /** Starts after all waiting callers have asked, so one read of a journal serves all of its questions. */
  const recordsSoon = (session: string): Promise<ApprovalRecord[]> => {
    const begun = reading.get(session)
    if (begun !== undefined) return begun
    const soon = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      reading.delete(session)
      return recordsOf(session)
    })
    reading.set(session, soon)
    return soon
  }
  const votes = createVoteCount({ home, engine, forms, voters, now: () => clock.now(), warn })
  const turns = new Map<string, Promise<unknown>>()
  /** One answer at a time per session: this process must not refuse its own second vote. */
  const runInOrder = <T>(session: string, work: () => Promise<T>): Promise<T> => {
    const mine = (turns.get(session) ?? Promise.resolve()).then(work, work)
    turns.set(session, mine)
    const forget = () => void (turns.get(session) === mine && turns.delete(session))
    mine.then(forget, forget)
    return mine
  }
  const again = async (record: ApprovalRecord) =>
    (await recordsOf(record.session)).find(({ question }) => question === record.question) ?? record
  const decisionFor = (record: ApprovalRecord): Answer | undefined => {
    if (needsSeveralPeople(record) || isUnsandboxedCommandRunning(home)) return undefined
    const readings = forms.read(record)
    for (const { where, reading } of readings)
      if (reading.kind === 'unclear') warn(`${where}: no valid decision for ${record.id}: ${reading.why}`)
    // Checked again: a command that started meanwhile could have written what was read.
    if (isUnsandboxedCommandRunning(home)) return undefined
    const decided = readings.flatMap(({ reading }) => (reading.kind === 'decided' ? [reading.answer] : []))
    const [first] = decided
    if (first === undefined) return undefined
    const refusal = answerFor(record, 'reject')
    const isOne = decided.every(
      ({ decision }) => isPermission(decision) && isSameDecision(decision, first.decision),
    )
    const answer = isOne
      ? first
      : (decided.find(({ decision }) => decision === refusal) ?? { ...first, decision: refusal })
    return { ...answer, ...(answer.by === undefined && user !== undefined && { by: user }) }
  }
  const sessionsThatAsked = async (all: boolean): Promise<ReadonlySet<string>> => {
    const known = all ? forms.allSessions() : forms.openSessions()
    const waiting = (await engine.list()).filter(({ status }) => status === 'sleeping' || status === 'active')
    return new Set([...known, ...waiting.map(({ id }) => id)])
  }
  /** Changes that could not be written yet: the newest of each approval. */
  const due = new Map<string, ApprovalRecord>()
  const write = async () => {
    const wanted = [...due.values()]
    if (!(await forms.update(wanted))) return
    for (const record of wanted) {
      if (record.status !== 'pending' && needsSeveralPeople(record)) votes.clear(record)
      if (due.get(record.id) === record) due.delete(record.id)
    }
  }
  let writing: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  /** Changes that arrive during a write are combined: fifty questions at the same time cause two writes, not fifty. */
  const update = (records: readonly ApprovalRecord[]): Promise<void> => {
    for (const record of records) due.set(record.id, record)
    next ??= writing
      .catch(() => {})
      .then(() => {
        next = undefined
        writing = write()
        return writing
      })
    return next
  }
  /** Records a decision from a form as the answer, unless another process is running the session and finds the decision itself. */
  const take = async (record: ApprovalRecord): Promise<boolean> => {
    if (needsSeveralPeople(record)) return takeVotes(record)
    const answer = decisionFor(record)
    if (answer === undefined) return false
    const counted = await tryAnswer(engine, record, answer)
    if (counted === undefined) return false
    report(record, counted)
    return true
  }
  const takeVotes = async (record: SharedApproval): Promise<boolean> => {
    if (!(await runInOrder(record.session, () => votes.collect(record)))) return false
    const { decision } = await again(record)
    if (decision !== undefined) report(record, decision)
    return true
  }
  const report = (record: ApprovalRecord, counted: Answer) => {
    if (options.taken !== undefined) {
      options.taken(record, counted)
      return
    }
    const word = isPermission(counted.decision) ? 'approved' : 'rejected'
    tell(
      `${record.id} was ${word} by ${counted.by ?? 'an unknown user'}. Continue with: cadre resume ${record.root}`,
    )
  }
  const catchUpSoon = () => {
    if (due.size > 0) void approvals.catchUp().catch((error) => warn(messageOf(error)))
  }
  const watching = watchForms(forms.folders, (record) => {
    catchUpSoon()
    return decisionFor(record)
  })
  const following = watchForms<never>([...forms.folders, votes.folder], (record) => {
    catchUpSoon()
    void approvals.collect(record).catch((error) => warn(messageOf(error)))
    return undefined
  })

  const vote = async (record: SharedApproval, wanted: Answer, voter: Voter): Promise<Decided> => {
    const cast = await runInOrder(record.session, () => votes.cast(record, wanted, voter))
    const now = await again(record)
    await update([now])
    const { name: by, via } = voter
    const said = {
      decision: wanted.decision,
      by,
      via,
      ...(wanted.reason !== undefined && { reason: wanted.reason }),
    }
    if (cast.kind === 'written') return { kind: 'written', answer: said, record: now }
    if (cast.answer === undefined) return { kind: 'voted', answer: said, record: now }
    return { kind: 'recorded', answer: cast.answer, record: now }
  }

  const approvals: Approvals = {
    async publish(session, { name }) {
      const record = (await recordsSoon(session)).find(({ question }) => question === name)
      if (record?.status === 'pending') await update([record])
      return record
    },
    decisionFor,
    watch: watching,
    voters,
    objectionTo: (record, voter) => votes.objectionTo(record, voter),
    async collect(record) {
      if (!needsSeveralPeople(record)) return record
      await runInOrder(record.session, () => votes.collect(record))
      const now = await again(record)
      await update([now])
      return now
    },
    async follow(record, signal) {
      home.folder('approvals', 'votes')
      await following(record, signal)
    },
    async settle(session, question) {
      const record = (await recordsSoon(session)).find((one) => one.question === question)
      if (record !== undefined && record.status !== 'pending') await update([record])
    },
    async decide(record, wanted, voter) {
      requirePerson(home, process.env, voter.via)
      if (needsSeveralPeople(record)) return vote(record, wanted, voter)
      const by = wanted.by ?? voter.name
      const answer = {
        decision: wanted.decision,
        by,
        ...(wanted.reason !== undefined && { reason: wanted.reason }),
      }
      const recorded = await runInOrder(record.session, () => tryAnswer(engine, record, answer))
      if (recorded !== undefined) {
        await approvals.settle(record.session, record.question)
        return { kind: 'recorded', answer: recorded, record: await again(record) }
      }
      await update([record])
      const before = decisionFor(record)
      if (before !== undefined) return { kind: 'written', answer: before, record }
      if (!(await forms.decide(record, answer, new Date(clock.now()).toISOString())))
        throw new CadreError(
          'owned',
          isUnsandboxedCommandRunning(home)
            ? `another process is running a command without a sandbox in session ${record.session}. The command could forge decisions in files. Retry when it has ended.`
            : `another process is running session ${record.session}, and Cadre cannot write the decision to the files of ${record.id}. Fix these files, or decide in the program that runs the session.`,
        )
      return { kind: 'written', answer, record }
    },
    async read({ all = false, sessions } = {}) {
      const records: ApprovalRecord[] = []
      for (const session of sessions ?? (await sessionsThatAsked(all)))
        records.push(...(await recordsOf(session)))
      return wantedOf(records, all)
    },
    async list({ all = false, sessions } = {}) {
      const records: ApprovalRecord[] = []
      for (const session of sessions ?? (await sessionsThatAsked(all))) {
        const before = await recordsOf(session)
        const open = before.filter(({ status }) => status === 'pending')
        let isTaken = false
        for (const record of open) isTaken = (await take(record)) || isTaken
        records.push(...(isTaken ? await recordsOf(session) : before))
      }
      await update(records)
      return wantedOf(records, all)
    },
    async reconcile() {
      const sessions = forms.openSessions()
      const records: ApprovalRecord[] = []
      for (const session of sessions) records.push(...(await recordsOf(session)))
      await update(records.filter(({ status }) => status !== 'pending'))
    },
    catchUp: () => (due.size === 0 ? Promise.resolve() : update([])),
  }
  return approvals
}

/** Oldest first. */
function wantedOf(records: readonly ApprovalRecord[], all: boolean): ApprovalRecord[] {
  return records
    .filter(({ status }) => all || status === 'pending')
    .sort((a, b) => (a.created === b.created ? 0 : a.created < b.created ? -1 : 1))
}

/** `approve` and `approve-session` both approve. */
function isSameDecision(a: string, b: string): boolean {
  return a === b || (a.startsWith('approve') && b.startsWith('approve'))
}

/** Resolves with undefined if this process cannot record the answer now. */
async function tryAnswer(
  engine: ApprovalsOptions['engine'],
  { session, question }: ApprovalRecord,
  answer: Answer,
): Promise<Answer | undefined> {
  try {
    return await engine.answer(session, question, answer)
  } catch (error) {
    if (error instanceof CadreError && (error.code === 'owned' || error.code === 'not_found'))
      return undefined
    throw error
  }
}
