/**
 * Approvals of a home: pending requests, the forms that show them, and how decisions reach the session.
 *
 * 1. The decision is the first answer in the session's journal. Forms are one way to give it.
 * 2. A form is valid only if it shows the action of the journal, and never while a command is running that could write it.
 * 3. If two forms contradict each other, the order is unknown, so the approval is rejected.
 */
import { type Answer, CadreError, messageOf, type Question } from '@cadre/core'
import { watchFolder } from '@cadre/disk'
import { type Home, isUnguarded } from '@cadre/home'
import type { FileEngine } from '@cadre/journal'
import { createApprovalForms } from './approval-forms.ts'
import type { ApprovalRecord } from './approval-record.ts'
import { approvalsIn } from './approvals-in.ts'
import { answerFor, isApproval } from './decision-words.ts'
import { requirePerson } from './require-person.ts'

export interface ApprovalsOptions {
  readonly home: Home
  /** The journals. */
  readonly engine: Pick<FileEngine, 'read' | 'list' | 'answer'>
  readonly clock: { now(): number }
  /** The user recorded for a decision that names nobody: the user of the system. */
  readonly user: string | undefined
  /** Receives messages about the forms, one sentence each. */
  readonly tell: (message: string) => void
  /** Called for each decision found in a form. By default, the message in `tell` includes how to continue. */
  readonly taken?: (record: ApprovalRecord, answer: Answer) => void
}

export interface Approvals {
  /** Shows a question to people, unless it is already shown. Resolves with undefined if the journal does not contain it. */
  publish(session: string, question: Question): Promise<ApprovalRecord | undefined>
  /** Returns the current decision in the forms. */
  decisionFor(record: ApprovalRecord): Answer | undefined
  /** Resolves when a form has a decision. Resolves with undefined if `signal` aborts. */
  watch(record: ApprovalRecord, signal: AbortSignal): Promise<Answer | undefined>
  /** Updates the forms of a question from the journal. */
  settle(session: string, question: string): Promise<void>
  /**
   * Records a decision. If another process runs the session, or the session ended with the question open, writes it to the
   * forms, where it is found later. Resolves with the first decision, which applies.
   */
  decide(record: ApprovalRecord, answer: Answer): Promise<Decided>
  /** Applies decisions made in forms, and updates forms and journals. Returns the pending approvals, or all of them. */
  list(options?: ListOptions): Promise<readonly ApprovalRecord[]>
  /** Updates the known forms, without searching for sessions that they do not mention. */
  reconcile(): Promise<void>
  /** Makes changes that were delayed until a command ended. */
  catchUp(): Promise<void>
}

export interface ListOptions {
  readonly all?: boolean
  /** Only approvals of these sessions. Reads only their journals. */
  readonly sessions?: readonly string[]
}

/** `recorded`: in the journal. `written`: in a form, for the process that runs the session. */
export interface Decided {
  readonly kind: 'recorded' | 'written'
  readonly answer: Answer
}

/** The poll interval where the system does not report file changes, in ms. */
const pollMs = 1000

export function createApprovals(options: ApprovalsOptions): Approvals {
  const { home, engine, clock, user, tell } = options
  const forms = createApprovalForms(home, tell)
  const told = new Set<string>()
  const warn = (message: string) => {
    if (told.has(message)) return
    told.add(message)
    tell(message)
  }
  const recordsOf = async (session: string): Promise<ApprovalRecord[]> => {
    try {
      const stored = await engine.read(session)
      return stored === undefined ? [] : approvalsIn(stored)
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
  const decisionFor = (record: ApprovalRecord): Answer | undefined => {
    if (isUnguarded(home)) return undefined
    const readings = forms.read(record)
    for (const { where, reading } of readings)
      if (reading.kind === 'unclear') warn(`${where}: no valid decision for ${record.id}: ${reading.why}`)
    // Checked again: a command that started meanwhile could have written what was read.
    if (isUnguarded(home)) return undefined
    const decided = readings.flatMap(({ reading }) => (reading.kind === 'decided' ? [reading.answer] : []))
    const [first] = decided
    if (first === undefined) return undefined
    const refusal = answerFor(record, 'reject')
    const isOne = decided.every(
      ({ decision }) => isApproval(decision) && isSameDecision(decision, first.decision),
    )
    const answer = isOne
      ? first
      : (decided.find(({ decision }) => decision === refusal) ?? { ...first, decision: refusal })
    return { ...answer, ...(answer.by === undefined && user !== undefined && { by: user }) }
  }
  const sessionsThatAsked = async (all: boolean): Promise<string[]> => {
    const known = all ? forms.allSessions() : forms.openSessions()
    const waiting = (await engine.list()).filter(({ status }) => status === 'sleeping' || status === 'active')
    return [...known, ...waiting.map(({ id }) => id)]
  }
  /** Changes that could not be written yet: the newest of each approval. */
  const due = new Map<string, ApprovalRecord>()
  const write = async () => {
    const wanted = [...due.values()]
    if (!(await forms.update(wanted))) return
    for (const record of wanted) if (due.get(record.id) === record) due.delete(record.id)
  }
  let writing: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  /** Changes that arrive during a write are combined: fifty questions at once cause two writes, not fifty. */
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
  /** Records a decision from a form as the answer, unless another process runs the session and finds it itself. */
  const take = async (record: ApprovalRecord): Promise<boolean> => {
    const answer = decisionFor(record)
    if (answer === undefined) return false
    const counted = await tryAnswer(engine, record, answer)
    if (counted === undefined) return false
    if (options.taken !== undefined) {
      options.taken(record, counted)
      return true
    }
    const word = isApproval(counted.decision) ? 'approved' : 'rejected'
    tell(
      `${record.id} was ${word} by ${counted.by ?? 'an unknown user'}. Continue with: cadre resume ${record.root}`,
    )
    return true
  }
  const watching = watchForms(forms.folders, (record) => {
    if (due.size > 0) void approvals.catchUp().catch((error) => warn(messageOf(error)))
    return decisionFor(record)
  })

  const approvals: Approvals = {
    async publish(session, { name }) {
      const record = (await recordsSoon(session)).find(({ question }) => question === name)
      if (record?.status === 'pending') await update([record])
      return record
    },
    decisionFor,
    watch: watching,
    async settle(session, question) {
      const record = (await recordsSoon(session)).find((one) => one.question === question)
      if (record !== undefined && record.status !== 'pending') await update([record])
    },
    async decide(record, wanted) {
      requirePerson(home)
      const answer = { ...wanted, ...(wanted.by === undefined && user !== undefined && { by: user }) }
      const recorded = await tryAnswer(engine, record, answer)
      if (recorded !== undefined) {
        await approvals.settle(record.session, record.question)
        return { kind: 'recorded', answer: recorded }
      }
      await update([record])
      const before = decisionFor(record)
      if (before !== undefined) return { kind: 'written', answer: before }
      if (!(await forms.decide(record, answer, new Date(clock.now()).toISOString())))
        throw new CadreError(
          'owned',
          isUnguarded(home)
            ? `another process is running session ${record.session} with a command without a sandbox, which could forge decisions in files. Try again when the command has ended.`
            : `another process is running session ${record.session}, and Cadre cannot write the decision to either form of ${record.id}. Fix the forms, or decide in the program that runs the session.`,
        )
      return { kind: 'written', answer }
    },
    async list({ all = false, sessions: wantedSessions } = {}) {
      const sessions = new Set(wantedSessions ?? (await sessionsThatAsked(all)))
      const records: ApprovalRecord[] = []
      for (const session of sessions) {
        const before = await recordsOf(session)
        const open = before.filter(({ status }) => status === 'pending')
        let isTaken = false
        for (const record of open) isTaken = (await take(record)) || isTaken
        records.push(...(isTaken ? await recordsOf(session) : before))
      }
      await update(records)
      const wanted = all ? records : records.filter(({ status }) => status === 'pending')
      return wanted.sort((a, b) => (a.created === b.created ? 0 : a.created < b.created ? -1 : 1))
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

/** One watcher serves all waiting approvals. */
function watchForms(
  folders: readonly string[],
  decisionFor: (record: ApprovalRecord) => Answer | undefined,
): Approvals['watch'] {
  const waiting = new Map<ApprovalRecord, (answer: Answer) => void>()
  let watches: { close(): void }[] = []
  let timer: NodeJS.Immediate | undefined
  const look = () => {
    timer = undefined
    for (const [record, decided] of [...waiting]) {
      const answer = decisionFor(record)
      if (answer !== undefined) decided(answer)
    }
  }
  const lookSoon = () => {
    timer ??= setImmediate(look)
  }
  const stop = (record: ApprovalRecord) => {
    waiting.delete(record)
    if (waiting.size > 0) return
    for (const watch of watches) watch.close()
    watches = []
    clearImmediate(timer)
    timer = undefined
  }
  return (record, signal) =>
    new Promise((resolve) => {
      const end = (answer: Answer | undefined) => {
        signal.removeEventListener('abort', leave)
        stop(record)
        resolve(answer)
      }
      const leave = () => end(undefined)
      if (signal.aborted) return resolve(undefined)
      signal.addEventListener('abort', leave, { once: true })
      waiting.set(record, end)
      if (watches.length === 0)
        watches = folders.map((folder) => watchFolder(folder, lookSoon, { every: pollMs, persistent: false }))
      lookSoon()
    })
}
