/**
 * Approvals of a home: what waits for a person, where they see it, and how what they decide reaches the session.
 *
 * 1. A decision is what the session's journal has as its answer, the first one; the forms are how a person gives it.
 * 2. A form is believed only if it shows the action that the journal has, and never while a command runs that could write it.
 * 3. Where two forms are found that say different things, nobody has seen which was first: it is a rejection.
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
  /** Who is taken to have decided where nobody says it: the user of the system. */
  readonly user: string | undefined
  /** Gets what a person should know about the forms, a sentence each. */
  readonly tell: (message: string) => void
  /** Who is told of a decision that was found in a form; by default how to go on is part of what is told. */
  readonly taken?: (record: ApprovalRecord, answer: Answer) => void
}

export interface Approvals {
  /** Puts a question before people, where it is not yet. Nothing when the journal does not have it. */
  publish(session: string, question: Question): Promise<ApprovalRecord | undefined>
  /** What the forms say now. */
  decisionFor(record: ApprovalRecord): Answer | undefined
  /** Waits until the forms say something; nothing when `signal` ends it. */
  watch(record: ApprovalRecord, signal: AbortSignal): Promise<Answer | undefined>
  /** Brings the forms of a question in line with the journal. */
  settle(session: string, question: string): Promise<void>
  /**
   * Records a decision. On a session that another process runs, or that has ended with the question open, it is written into
   * the forms, to be found from there. The first decision counts and is what comes back.
   */
  decide(record: ApprovalRecord, answer: Answer): Promise<Decided>
  /** Takes up what was decided in forms, and puts forms and journals in order. All that wait, or all there ever were. */
  list(options?: ListOptions): Promise<readonly ApprovalRecord[]>
  /** Puts the forms in order, without looking for what they do not know of. */
  reconcile(): Promise<void>
  /** Does what had to wait for a command to end. */
  catchUp(): Promise<void>
}

export interface ListOptions {
  readonly all?: boolean
  /** Only of these sessions: it costs a look at each of them, and none at the others of the home. */
  readonly sessions?: readonly string[]
}

/** `recorded`: in the journal. `written`: in a form, where whoever runs the session finds it. */
export interface Decided {
  readonly kind: 'recorded' | 'written'
  readonly answer: Answer
}

/** How often is looked where the system does not tell of changes. */
const every = 1000

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
      // A journal that cannot be read must not hide the others.
      warn(`cannot read the approvals of session ${session}: ${messageOf(error)}`)
      return []
    }
  }
  const reading = new Map<string, Promise<ApprovalRecord[]>>()
  /** Begun after everybody who waits for it has asked: one look at a journal is enough for all of its questions. */
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
    // Looked again: what began meanwhile could have written what was read.
    if (isUnguarded(home)) return undefined
    const decided = readings.flatMap(({ reading }) => (reading.kind === 'decided' ? [reading.answer] : []))
    const [first] = decided
    if (first === undefined) return undefined
    const refusal = answerFor(record, 'reject')
    const isOne = decided.every(({ decision }) => isApproval(decision) && alike(decision, first.decision))
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
  /** What could not be written yet, the newest of each. */
  const due = new Map<string, ApprovalRecord>()
  const write = async () => {
    const wanted = [...due.values()]
    if (!(await forms.update(wanted))) return
    for (const record of wanted) if (due.get(record.id) === record) due.delete(record.id)
  }
  let writing: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  /** What comes while something is written is written together: fifty questions at once are two changes, not fifty. */
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
  /** A decision in a form becomes the answer, unless somebody else runs the session: they find it themselves. */
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
      `${record.id} was ${word} by ${counted.by ?? 'somebody'}. Continue with: cadre resume ${record.root}`,
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
function alike(a: string, b: string): boolean {
  return a === b || (a.startsWith('approve') && b.startsWith('approve'))
}

/** Nothing when the answer cannot be recorded from here now. */
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

/** One look for all that wait, however many they are. */
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
        watches = folders.map((folder) => watchFolder(folder, lookSoon, { every, persistent: false }))
      lookSoon()
    })
}
