import type { Draft, Entry } from './entry.ts'
import type { Json } from './json.ts'
import type { Report, ReportStatus } from './report.ts'
import type { SessionSpec } from './session-spec.ts'

/**
 * The whole contract between the loop and whatever makes it durable. On one machine the session files implement it;
 * a durable engine on many machines can as well. The loop waits for nothing except through a `Run`.
 */
export interface Engine {
  /** How a child is run; set once, by the orchestrator, before the first session. */
  attach(runner: (spec: SessionSpec) => Promise<Report>): void
  /**
   * Creates the journal of a session, or opens the one it has. Rejects with `owned` when another process runs the tree,
   * with `corrupt` when the journal cannot be read; nothing on disk is changed then.
   */
  open(spec: SessionSpec): Promise<Run>
  /** A stored session, read without owning it. */
  read(id: string): Promise<StoredSession | undefined>
  /** Entry sessions whose `limits.charged` names the tree with this root: they spend from its budget. */
  charged?(root: string): Promise<readonly string[]>
}

export interface StoredSession {
  readonly spec: SessionSpec
  readonly status: SessionStatus
  readonly outcome: ReportStatus | undefined
  readonly updated: string
  readonly entries: readonly Entry[]
}

/** As written in the header of a session file. */
export type SessionStatus = 'active' | 'sleeping' | 'completed' | 'error'

export interface StepInfo {
  /** The same on every try of this step. */
  readonly key: string
}

export interface StepOptions {
  /**
   * Wait until the entries survive a power loss, not only the end of this process. Set before every effect. A function is
   * asked when the work is done.
   */
  readonly durable?: boolean | (() => boolean)
}

/** A person's answer to a question of a session. */
export interface Answer {
  readonly decision: string
  readonly by?: string
  readonly reason?: string
}

/** A question that only a person can answer. `name` is unique within the session. */
export interface Question {
  readonly name: string
  readonly kind: 'approval' | 'doubt'
  readonly call: string
  readonly text: string
  /** Answers that are understood. */
  readonly choices: readonly string[]
  readonly detail?: Json
}

/** One session's life on an engine. */
export interface Run {
  /**
   * What is recorded already, in order. An engine that continues from its journal gives all of it; one that replays gives
   * nothing, and answers each `step` of the past from its records.
   */
  readonly recorded: readonly Entry[]
  /**
   * Does `work` and records what it returns, together and in the order in which work is finished; `work` may itself take
   * further steps. Once recorded, it is never done again for this name. Entries are with the operating system when the
   * promise resolves. Rejects with what `work` rejected with, or when they cannot be recorded. Work that returns nothing
   * is not recorded.
   */
  step(
    name: string,
    work: (info: StepInfo) => readonly Draft[] | Promise<readonly Draft[]>,
    options?: StepOptions,
  ): Promise<readonly Entry[]>
  /** Runs a child session to its end, or re-attaches to it when it was begun before. Rejects only with `Suspended`. */
  spawn(name: string, spec: SessionSpec): Promise<Report>
  /**
   * Waits for a person, minutes to days. Resolves with the first answer; rejects with `Suspended` when none is there and
   * the engine holds no process for it; `signal` ends the waiting.
   */
  waitFor(question: Question, signal: AbortSignal): Promise<Answer>
  /** Rejects when aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Live text and the like: best effort, never recorded. */
  emit(event: TransientEvent): void
  /**
   * What a person changed in the record since the last call: the whole new record, and the prompt if that was changed.
   * Cheap when nothing was. Asked at round boundaries.
   */
  changes(): RecordChange | undefined
  /** Records the end. The session can be opened again to continue a conversation or after a cancel. */
  end(end: SessionEnd): Promise<void>
}

export interface TransientEvent {
  readonly type: 'text.added'
  readonly text: string
}

export interface RecordChange {
  readonly entries: readonly Entry[]
  readonly systemPrompt: string
  /** One sentence: what was changed. */
  readonly summary: string
}

export type SessionEnd =
  | { readonly kind: 'ended'; readonly outcome: ReportStatus }
  | { readonly kind: 'suspended'; readonly questions: readonly string[] }
