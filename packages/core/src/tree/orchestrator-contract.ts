import type { AgentDefinition } from '../ports/agent.ts'
import type { QuestionId } from '../ports/engine.ts'
import type { Isolation } from '../ports/isolation.ts'
import type { JsonObject } from '../ports/json.ts'
import type { RunLimits } from '../ports/limits.ts'
import type { Report } from '../ports/report.ts'
import type { Controls, SessionSpec, Work } from '../ports/session-spec.ts'
import type { CallExplanation, ExplainRequest } from './explain.ts'

export interface Orchestrator {
  /** Starts a session. Rejects with a `CadreError` if the request is invalid, for example if the agent or model is unknown. */
  start(request: StartRequest, signal: AbortSignal): Promise<RunResult>
  /**
   * Resumes a session, with or without new work. Without new work, an ended session returns its report again. Rejects with
   * `owned` while its tree is running, in this process or in another. To send a message to a running session, use `tell`.
   */
  resume(id: string, options: ResumeOptions, signal: AbortSignal): Promise<RunResult>
  /** Returns what the gate would decide for a call. Starts, runs and records nothing, if the caller omits rules that run programs. */
  explain(request: ExplainRequest, signal: AbortSignal): Promise<CallExplanation>
  /**
   * Stops one session of a running tree and all sessions below it. Returns false if it is not running in this process, or is just being
   * suspended. `stays`: a person stopped it permanently. Otherwise a stopped root is an interrupted run.
   */
  cancel(session: string, options?: { readonly stays?: boolean }): boolean
  /**
   * Sends a message to a session that is running in this process. The session reads it in its next round. Resolves to true when the message
   * is recorded, and to false if the session is not running here, or ended or was suspended first.
   */
  tell(session: string, work: Work): Promise<boolean>
  /**
   * Aborts the reply that this session is receiving. The session continues with the messages it received, and the model sees the partial
   * reply. Does not affect running calls or sessions below it. Returns false if no reply is in flight in this process.
   */
  interrupt(session: string): boolean
  /**
   * Summarises the older rounds of a session that has ended, so that its next request is shorter. Returns false if there is nothing to
   * summarise. Rejects if the session has not ended, or runs elsewhere.
   */
  compact(session: string, signal: AbortSignal): Promise<boolean>
  /**
   * Pauses the tree with this root. Without `root`, pauses everything in this orchestrator permanently. Each session is suspended when its
   * allowed calls are settled, and nothing is cancelled. Resume it here or, after everything was paused, with another orchestrator, which
   * judges the other calls of the last reply. `breaksOff`: do not wait for pending model replies; they are requested again.
   */
  pause(options?: { readonly root?: string; readonly breaksOff?: boolean }): void
}

export interface StartRequest {
  /** The id of the new session. Default: a generated id. `start` rejects if the session already exists. */
  readonly id?: string
  /** The name of the entry agent, or a definition. */
  readonly agent: string | AgentDefinition
  readonly work: Work | string
  readonly workspace: string
  /** How the workspace is isolated, if it belongs to another session. */
  readonly isolation?: Isolation
  readonly model?: string
  readonly maxRounds?: number
  readonly history?: SessionSpec['history']
  /** A JSON Schema: the entry session must end with JSON that validates. */
  readonly outputSchema?: JsonObject
  /** False disables delegation in this run. */
  readonly delegation?: boolean
  /** Restrictions of the whole tree. */
  readonly controls?: Controls
  /** False: if the agent cannot start, the run fails, and the plain model does not answer instead. */
  readonly plain?: boolean
  /** Set if other sessions write at the same time. An agent that can write then gets its own workspace. */
  readonly parallel?: boolean
  /** The session that created this task or sent the message. If it has a budget, the budget pays for this session. */
  readonly charged?: string
  /** Sessions whose work this one continues. If it has its own workspace, the workspace starts with their changes. */
  readonly from?: readonly string[]
  /** The trace that the run belongs to: the W3C `traceparent` of the program that starts it, or a trace id. Ignored if it is invalid. */
  readonly trace?: string
  /** The person who starts the run. A policy may exclude them from approving its calls. */
  readonly startedBy?: string
}

/** A run ends with a report, or waits for a person. Resume it when there is an answer. */
export type RunResult =
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'waiting'; readonly session: string; readonly questions: readonly QuestionId[] }

export interface ResumeOptions {
  readonly work?: Work | string
  /**
   * What to do with calls that a stop left open. `continue`, the default, resumes them, children included. `leave`, with new work, settles
   * them as cancelled, so that the session starts on the new work immediately.
   */
  readonly openCalls?: 'continue' | 'leave'
  /** The model to use from now on. */
  readonly model?: string
  /** False: the session may not delegate from now on. */
  readonly delegation?: false
  /** Limits to change. The others keep their values from the start of the run. */
  readonly limits?: Partial<RunLimits>
  /** The new round limit of the session. Also resumes a session that reached its old limit. Counts from the last message of a person. */
  readonly maxRounds?: number
}

export interface OrchestratorOptions {
  readonly limits?: Partial<RunLimits>
  /**
   * Upper bounds for every limit, whether it comes from these options, an agent, a call, a resume or a stored run.
   */
  readonly ceilings?: Partial<RunLimits>
}
