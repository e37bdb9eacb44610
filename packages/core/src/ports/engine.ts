import type { Draft, Entry } from './entry.ts'
import type { Json } from './json.ts'
import type { Report, ReportStatus } from './report.ts'
import type { SessionSpec } from './session-spec.ts'

/**
 * The whole contract between the loop and the store that makes it durable. Session files implement it on one machine. A log on a
 * server can implement it on many: it needs an ordered, durable record for each tree, one owner at a time, and a way to wake a tree
 * elsewhere when its owner dies. The loop waits for nothing except through a `Run`.
 *
 * 1. An engine continues from the record. It never runs the loop again to arrive at a state: state is a fold over `Run.recorded`.
 * 2. A tree of sessions runs in one process at a time. A life of the tree that is lost to another process is told so by `Run.lost`.
 */
export interface Engine {
  /** How a child is run; set once, by the orchestrator, before the first session. */
  attach(runner: (spec: SessionSpec) => Promise<Report>): void
  /**
   * Creates the journal of a session, or opens the one it has. Rejects with `owned` when another process runs the tree,
   * with `corrupt` when the journal cannot be read; nothing on disk is changed then.
   */
  open(spec: SessionSpec): Promise<Run>
  /** A stored session at any depth, by its id alone, read without owning it. See `Ids.session`. */
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

/** Which question of a tree: names alone repeat in its sessions. */
export interface QuestionId {
  readonly session: string
  readonly name: string
}

/** One session's life on an engine, from `open` to `end`. */
export interface Run {
  /** Everything that earlier lives of the session recorded, in order. */
  readonly recorded: readonly Entry[]
  /**
   * Fires when this process may not run the tree any more, because another one took it over. The loop then stops tools and requests,
   * records nothing, reports no end and does not call `end`. Steps that are pending must reject. The sessions of a tree are lost
   * together; they may share one signal.
   */
  readonly lost: AbortSignal
  /**
   * Resolves when no earlier life of the session can still carry out a call: at once if its process is known to have ended, otherwise
   * when it must have noticed that it is lost and `stopGrace` has passed. The loop waits for it before it settles a call in doubt, and
   * reads it only then.
   */
  readonly alone: Promise<void>
  /**
   * Does `work` and records what it returns, together and in the order in which work is finished; `work` may itself take
   * further steps. Entries survive the end of this process when the promise resolves. Rejects with what `work` rejected with, or when
   * they cannot be recorded. Work that returns nothing is not recorded. `name` is for people and tests; it may repeat.
   */
  step(
    name: string,
    work: () => readonly Draft[] | Promise<readonly Draft[]>,
    options?: StepOptions,
  ): Promise<readonly Entry[]>
  /**
   * Runs a child session to its end, here or elsewhere, or re-attaches to it if it was started before. Rejects with `Suspended` when
   * the child waits for a person.
   */
  spawn(spec: SessionSpec): Promise<Report>
  /**
   * Waits for a person, minutes to days. Resolves with the first answer; rejects with `Suspended` when none is there and
   * the engine holds no process for it; `signal` ends the waiting.
   */
  waitFor(question: Question, signal: AbortSignal): Promise<Answer>
  /**
   * What a person changed in the record since the last call: the whole new record, and the prompt if that was changed.
   * Cheap when nothing was. Asked at round boundaries.
   */
  changes(): RecordChange | undefined
  /** Records the end. The session can be opened again to continue a conversation or after a cancel. */
  end(end: SessionEnd): Promise<void>
}

export interface RecordChange {
  readonly entries: readonly Entry[]
  readonly systemPrompt: string
  /** One sentence: what was changed. */
  readonly summary: string
}

export type SessionEnd =
  | { readonly kind: 'ended'; readonly outcome: ReportStatus }
  | { readonly kind: 'suspended'; readonly questions: readonly QuestionId[] }
