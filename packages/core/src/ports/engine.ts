import type { Draft, Entry } from './entry.ts'
import type { Json } from './json.ts'
import type { Report, ReportStatus } from './report.ts'
import type { SessionSpec } from './session-spec.ts'
import type { Vote, VoteChannel } from './votes.ts'

/**
 * The contract between the session loop and the store that makes it durable. Session files implement it on one machine. A log on a server
 * can implement it on several: it needs an ordered, durable record for each tree, one owner at a time, and a way to resume a tree
 * elsewhere when its owner dies. The loop waits for nothing except through a `Run`.
 *
 * 1. An engine continues from the record. It never reruns the loop to reconstruct state: state is a fold over `Run.recorded`.
 * 2. A tree of sessions runs in one process at a time. `Run.lost` signals that another process has taken the tree over.
 */
export interface Engine {
  /** Sets the function that runs child sessions. The orchestrator calls it once, before the first session. */
  attach(runner: (spec: SessionSpec) => Promise<Report>): void
  /**
   * Opens a session's journal, and creates it if necessary. Rejects with `owned` if another process runs the tree, and with `corrupt`
   * if the journal cannot be read. In both cases nothing on disk changes.
   */
  open(spec: SessionSpec): Promise<Run>
  /** Reads a stored session at any depth by its id, without owning its tree. See `IdGenerator.session`. */
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

export function isEndedStatus(status: unknown): status is 'completed' | 'error' {
  return status === 'completed' || status === 'error'
}

export interface StepOptions {
  /**
   * Wait until the entries survive a power loss, not only the end of this process. Set before every effect. A function is called when the
   * work is done.
   */
  readonly durable?: boolean | (() => boolean)
}

/** Returns whether a step must be durable. Call it when the work is done. */
export function isDurable({ durable = false }: StepOptions = {}): boolean {
  return typeof durable === 'function' ? durable() : durable
}

/** A person's answer to a session's question. */
export interface Answer {
  readonly decision: string
  readonly by?: string
  readonly reason?: string
  /** How it reached Cadre. Required, with `by`, if the question needs approvals from several people. */
  readonly via?: VoteChannel
  /** Identifies a vote that may be delivered twice. */
  readonly id?: string
  /** See `Vote.without`. */
  readonly without?: readonly string[]
  /** In a recorded answer that several people gave: the last word of each. */
  readonly votes?: readonly Vote[]
}

/** A question that only a person can answer. `name` is unique within the session. */
export interface Question {
  readonly name: string
  readonly kind: 'approval' | 'doubt'
  readonly call: string
  readonly text: string
  /** The valid answers. */
  readonly choices: readonly string[]
  readonly detail?: Json
}

/** Identifies a question in a tree. Names alone are not unique across sessions. */
export interface QuestionId {
  readonly session: string
  readonly name: string
}

/** Where earlier lives of a session ran its calls. `elsewhere`: perhaps on a machine whose processes this one cannot see. */
export type EarlierLives = 'here' | 'elsewhere'

/** A session in one process, from `open` to `end`: one life of the session. */
export interface Run {
  /** All entries that earlier lives of the session recorded, in order. */
  readonly recorded: readonly Entry[]
  /**
   * Fires when this process may no longer run the tree, because another process has taken it over. The loop then stops tools and requests,
   * records nothing, reports no end and does not call `end`. Pending steps must reject. The sessions of a tree are lost together and may
   * share one signal.
   */
  readonly lost: AbortSignal
  /**
   * Resolves when no earlier life of the session can still run a call: immediately if its process is known to have ended, otherwise when
   * it must have noticed that it is lost and `stopGrace` has passed. The loop waits for it before it settles a call in doubt, and reads
   * it only then.
   */
  readonly alone: Promise<EarlierLives>
  /**
   * Runs `work` and records the entries it returns, together, in the order in which work finishes. `work` may take further steps. When the
   * promise resolves, the entries survive the end of this process. Rejects if `work` rejects or if the entries cannot be recorded. Work
   * that returns no entries is not recorded. `name` is for people and tests, and need not be unique.
   */
  step(
    name: string,
    work: () => readonly Draft[] | Promise<readonly Draft[]>,
    options?: StepOptions,
  ): Promise<readonly Entry[]>
  /**
   * Runs a child session to its end, in this process or elsewhere, or re-attaches to it if it was started before. Rejects with `Suspended`
   * if the child waits for a person.
   */
  spawn(spec: SessionSpec): Promise<Report>
  /**
   * Waits for a person, for minutes or days. Resolves with the first answer. Rejects with `Suspended` if there is none and the engine does
   * not keep a process running for it. `signal` ends the wait.
   */
  waitFor(question: Question, signal: AbortSignal): Promise<Answer>
  /**
   * Returns what a person has changed in the record since the last call: the whole new record, and the system prompt. Cheap if nothing has
   * changed. Called between rounds.
   */
  changes(): RecordChange | undefined
  /** Records the end. The session can be opened again to continue a conversation or after a cancel. */
  end(end: SessionEnd): Promise<void>
}

export interface RecordChange {
  readonly entries: readonly Entry[]
  readonly systemPrompt: string
  /** What was changed, in one sentence. */
  readonly summary: string
}

export type SessionEnd =
  | { readonly kind: 'ended'; readonly outcome: ReportStatus }
  | { readonly kind: 'suspended'; readonly questions: readonly QuestionId[] }

/** The state of a stored session after its end. */
export function stateAfter(end: SessionEnd): Pick<StoredSession, 'status' | 'outcome'> {
  if (end.kind === 'suspended') return { status: 'sleeping', outcome: undefined }
  const isCompleted = end.outcome === 'completed' || end.outcome === 'incomplete'
  return { status: isCompleted ? 'completed' : 'error', outcome: end.outcome }
}
