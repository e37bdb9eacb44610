import {
  type Answer,
  answerIn,
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
import type { LoadedSession, TreeLog } from '../log/tree-log.ts'

/** What a run needs from its engine. */
export interface TreeRunHost {
  spawn(spec: SessionSpec): Promise<Report>
  /** Resolves when no earlier life of the tree can still act. */
  alone(log: TreeLog): Promise<EarlierLives>
  /** The session is open, or has ended. */
  entered(log: TreeLog, session: string, isOpen: boolean): void
}

/**
 * One session of a log while it runs. Steps return before they are safe, unless they must be durable: the log is written in order, so what
 * survives is always a prefix of what was recorded, and every effect waits for its record.
 */
export class TreeRun implements Run {
  readonly recorded: readonly Entry[]
  readonly lost: AbortSignal
  readonly #log: TreeLog
  readonly #session: LoadedSession
  readonly #host: TreeRunHost
  #isActive = false
  /** The session has been given its own workspace since it was recorded. */
  #isSpecNew = false

  /** The session must be loaded. */
  constructor(log: TreeLog, spec: SessionSpec, host: TreeRunHost) {
    this.#log = log
    this.#host = host
    this.#session = log.session(spec.id)
    this.lost = log.lost
    this.recorded = [...this.#session.entries]
    const { status, spec: recordedSpec } = this.#session
    if (recordedSpec.systemPrompt !== spec.systemPrompt)
      this.#session.change = 'The record contains a different system prompt.'
    if (recordedSpec.isolation === undefined && spec.isolation !== undefined) {
      this.#session.spec = { ...recordedSpec, workspace: spec.workspace, isolation: spec.isolation }
      this.#isSpecNew = true
    }
    if (status !== 'completed' && status !== 'error') this.#activate()
    host.entered(log, this.#id, true)
  }

  get alone(): Promise<EarlierLives> {
    return this.#host.alone(this.#log)
  }

  async step(
    _name: string,
    work: () => readonly Draft[] | Promise<readonly Draft[]>,
    options?: StepOptions,
  ): Promise<readonly Entry[]> {
    const drafts = await work()
    this.#log.requireLife()
    this.#activate()
    if (drafts.length === 0) return []
    const entries = this.#log.record(this.#id, drafts)
    if (isDurable(options) || this.#log.isBehind) await this.#log.safe()
    return entries
  }

  spawn(spec: SessionSpec): Promise<Report> {
    return this.#host.spawn(spec)
  }

  async waitFor(question: Question, signal: AbortSignal): Promise<Answer> {
    const { name } = question
    const entries = () => this.#session.entries
    const known = answerIn(entries(), name)
    if (known !== undefined) return known
    signal.throwIfAborted()
    if (!isAsked(entries(), name)) await this.step(`asked/${name}`, () => [questionDraft(question)])
    const missing = missingAnswer(entries(), name)
    if (missing.length > 0) await this.step(`answered/${name}`, () => missing, { durable: true })
    const answer = answerIn(entries(), name)
    if (answer === undefined) throw new Suspended([{ session: this.#id, name }])
    return answer
  }

  changes(): RecordChange | undefined {
    const { change, entries, spec } = this.#session
    if (change === undefined) return undefined
    this.#session.change = undefined
    return { entries: [...entries], systemPrompt: spec.systemPrompt, summary: change }
  }

  async end(end: SessionEnd): Promise<void> {
    this.#log.requireLife()
    this.#activate()
    const { status, outcome = null } = stateAfter(end)
    this.#log.add({ t: 'end', id: this.#id, status, outcome })
    try {
      // Surfaces report the end of a tree to people.
      if (this.#session.spec.root === this.#id) await this.#log.safe()
    } finally {
      this.#host.entered(this.#log, this.#id, false)
    }
  }

  get #id(): string {
    return this.#session.spec.id
  }

  /** An ended session becomes active only with its first new step, so that reading its report changes nothing. */
  #activate(): void {
    if (this.#isActive) return
    this.#isActive = true
    const { status, spec } = this.#session
    if (status !== 'active' || this.#isSpecNew) this.#log.add({ t: 'open', spec })
    this.#isSpecNew = false
  }
}
