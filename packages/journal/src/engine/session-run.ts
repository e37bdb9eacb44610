import { setMaxListeners } from 'node:events'
import {
  type Answer,
  answerDrafts,
  answerIn,
  CadreError,
  type Draft,
  type EarlierLives,
  type Entry,
  isAsked,
  isDurable,
  missingAnswer,
  type Question,
  questionDraft,
  type RecordChange,
  type Report,
  type Run,
  type SessionEnd,
  type SessionSpec,
  type StepOptions,
  Suspended,
  stateAfter,
} from '@cadre/core'
import type { Recorder } from './recorder.ts'
import type { SessionFile } from './session-file.ts'

/** What a run needs from its engine. */
export interface RunHost {
  readonly recorder: Recorder
  /** Makes sure that this process may write the session, and prepares its file. Rejects with `owned`. */
  enter(run: SessionRun): Promise<void>
  leave(run: SessionRun): void
  /** Resolves when a process that this one took the tree from must have noticed. */
  alone(root: string): Promise<EarlierLives>
  spawn(spec: SessionSpec): Promise<Report>
  /** Asks for an answer that is available now. */
  ask(session: string, question: Question, signal: AbortSignal): Promise<Answer | undefined>
}

/**
 * One open session. An ended session is entered (owned and marked as active) only with its first new step, so reading the report of an
 * ended session changes nothing.
 */
export class SessionRun implements Run {
  readonly file: SessionFile
  readonly recorded: readonly Entry[]
  private readonly life = new AbortController()
  readonly lost: AbortSignal = this.life.signal
  private readonly host: RunHost
  private entering: Promise<void> | undefined
  private isEntered: boolean
  private isEnded = false
  /** Answers that are being recorded, one after the other. The first one applies, or the one that a vote completes. */
  private readonly answering = new Map<string, Promise<unknown>>()
  private readonly asking = new Map<string, (answer: Answer) => void>()

  constructor(file: SessionFile, host: RunHost, isEntered: boolean) {
    this.file = file
    this.host = host
    this.isEntered = isEntered
    this.recorded = [...file.entries]
  }

  /** A getter, because an ended session is owned only from its first step on. */
  get alone(): Promise<EarlierLives> {
    return this.host.alone(this.file.root)
  }

  async step(
    name: string,
    work: () => readonly Draft[] | Promise<readonly Draft[]>,
    options?: StepOptions,
  ): Promise<readonly Entry[]> {
    const made = work()
    const drafts = made instanceof Promise ? await made : made
    if (!this.isEntered) await this.enter()
    if (this.isEnded)
      throw new Error(`unreachable: session ${this.file.id} tried to record ${name} after it had ended`)
    return drafts.length === 0 ? [] : this.host.recorder.record(this.file, drafts, isDurable(options))
  }

  spawn(spec: SessionSpec): Promise<Report> {
    return this.host.spawn(spec)
  }

  async waitFor(question: Question, signal: AbortSignal): Promise<Answer> {
    const { name } = question
    const known = answerIn(this.file.entries, name)
    if (known !== undefined) return known
    signal.throwIfAborted()
    if (!isAsked(this.file.entries, name)) await this.step(`asked/${name}`, () => [questionDraft(question)])
    const answer =
      (await this.recordAnswer(name, () => missingAnswer(this.file.entries, name))) ??
      (await this.askOutside(question, signal))
    if (answer === undefined) throw new Suspended([{ session: this.file.id, name }])
    return answer
  }

  /**
   * Records an answer, unless there is one already. Returns the answer that applies, or `undefined` if it is a vote and the question needs
   * more of them.
   */
  async answer(name: string, answer: Answer): Promise<Answer | undefined> {
    const applies = await this.recordAnswer(name, () => answerDrafts(this.file.entries, name, answer))
    if (applies !== undefined) this.asking.get(name)?.(applies)
    return applies
  }

  changes(): RecordChange | undefined {
    const { file } = this
    if (this.isEntered) this.host.recorder.look(file)
    if (file.change === undefined) return undefined
    const summary = file.change
    file.change = undefined
    return { entries: [...file.entries], systemPrompt: file.spec.systemPrompt, summary }
  }

  async end(end: SessionEnd): Promise<void> {
    if (!this.isEntered) await this.enter()
    this.isEnded = true
    try {
      await this.host.recorder.setState(this.file, stateAfter(end))
    } finally {
      this.host.leave(this)
    }
  }

  /** Takes ownership of the session. `activates`: also marks it as active. */
  enter(activates = true): Promise<void> {
    this.entering ??= this.host.enter(this).then(
      () => {
        this.isEntered = true
        if (activates) this.activate()
      },
      (error) => {
        // Another process may release it, so the next step tries again.
        this.entering = undefined
        throw error
      },
    )
    return this.entering
  }

  activate(): void {
    const { file } = this
    if (file.state.status === 'active' && file.notes.length === 0) return
    file.wanted = { status: 'active', outcome: undefined }
    this.host.recorder.enqueue(file)
  }

  /** Releases the session without recording anything. */
  abandon(): void {
    this.isEnded = true
    this.host.leave(this)
  }

  /** Called when another process has taken over the tree. */
  lose(): void {
    this.life.abort()
    this.abandon()
  }

  /** Two answers to one question must not be recorded at the same time: both would be the first, or complete the votes. */
  private recordAnswer(name: string, draft: () => readonly Draft[]): Promise<Answer | undefined> {
    const record = async () => {
      if (this.isEnded)
        throw new CadreError('owned', `session ${this.file.id} has just ended in this process. Try again.`)
      const drafts = draft()
      if (drafts.length > 0) await this.step(`answered/${name}`, () => drafts, { durable: true })
      return answerIn(this.file.entries, name)
    }
    const before = this.answering.get(name)
    const recorded = before === undefined ? record() : before.then(record, record)
    this.answering.set(name, recorded)
    const forget = () => void (this.answering.get(name) === recorded && this.answering.delete(name))
    recorded.then(forget, forget)
    return recorded
  }

  /** Waits for the first answer, from the terminal or from outside. */
  private async askOutside(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
    const { name } = question
    signal.throwIfAborted()
    // Every call in a reply may wait for an answer, so many listeners are not a leak.
    setMaxListeners(0, signal)
    const answered = new AbortController()
    const outside = new Promise<Answer>((resolve) => this.asking.set(name, resolve))
    const asked = this.host.ask(this.file.id, question, AbortSignal.any([signal, answered.signal]))
    // Many calls in one reply may wait for a person.
    setMaxListeners(0, signal)
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: answered.signal })
    })
    try {
      const answer = await Promise.race([outside, stopped, asked])
      // Votes may have been recorded while it was asked.
      if (answer === undefined) return answerIn(this.file.entries, name)
      return await this.answer(name, answer)
    } finally {
      this.asking.delete(name)
      answered.abort()
    }
  }
}
