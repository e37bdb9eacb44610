import type { AgentDefinition, Budget } from './agent.ts'
import type { Image } from './entry.ts'
import type { Isolation } from './isolation.ts'
import type { JsonObject } from './json.ts'
import { type RunLimits, withCeiling } from './limits.ts'

/** How a session ends. `text`: when a reply contains no calls. `report`: only when the agent calls `reportOut`. */
export type Completion = 'text' | 'report'

export interface SessionLimits {
  readonly maxRounds: number
  /** The maximum active time in milliseconds. Absent for entry sessions. */
  readonly timeLimit?: number
  /** For this session and everything below it. */
  readonly budget?: Budget
  /**
   * For the tree of a task or of a message: the session that created the task or sent the message and whose budget pays for it, and
   * the entry session at the top of all trees that share the budget.
   */
  readonly charged?: { readonly session: string; readonly root: string }
  /** For an entry session: the limits of the whole run, so that they also apply when another process resumes it. */
  readonly run?: RunLimits
}

/** Lowers the limits of a session to the ceilings of its run. */
export function applyCeilings(spec: SessionSpec, ceilings: Partial<RunLimits>): SessionSpec {
  const { maxRounds, timeLimit } = ceilings
  const { limits } = spec
  const time = spec.parent === undefined ? undefined : timeLimit
  if (maxRounds === undefined && time === undefined) return spec
  return {
    ...spec,
    limits: {
      ...limits,
      maxRounds: withCeiling(limits.maxRounds, maxRounds),
      ...(time !== undefined && { timeLimit: withCeiling(limits.timeLimit ?? time, time) }),
    },
  }
}

/** Restrictions of a session and everything it starts, at any depth, even after a resume. */
export interface Controls {
  /** Every effect needs approval by a person, even if a rule or an earlier approval allows it. */
  readonly approvalRequired?: true
  /** No agent may write files, run programs or send data. */
  readonly readOnly?: true
  /** Tools that no agent may use: tool names in any dialect, or classes. */
  readonly deniedTools?: readonly string[]
  /**
   * The effects that a built-in team allows need approval, as for other agents. Set if a program chose the team, and not a person.
   */
  readonly noTeamEffects?: true
}

export interface Work {
  readonly content: string
  readonly images?: readonly Image[]
  /** The sender, if it is not a person: an agent, a channel or `cadre`. */
  readonly from?: string
  /** The id of the message. A session ignores a message whose id it has already received. */
  readonly message?: string
  /** The people who gave the work, as in `UserDraft`. A policy may exclude them from approving the session's calls. */
  readonly by?: readonly string[]
}

export function workOf(work: Work | string): Work {
  return typeof work === 'string' ? { content: work } : work
}

/**
 * Everything that a session was started with, as plain data that can be stored and sent to another process. Together with the recorded
 * entries, it is sufficient to resume the session.
 */
export interface SessionSpec {
  readonly id: string
  /** The entry session of its tree. For an entry session, its own id. */
  readonly root: string
  readonly agent: AgentDefinition
  /** The system prompt as sent: the agent's prompt, and the agents it may delegate to. */
  readonly systemPrompt: string
  /** Resolved before the session starts. */
  readonly model: string
  /** The model that the agent asks for, if it is not available and the default model is used instead. Not stored. */
  readonly insteadOf?: { readonly name: string; readonly reason: string }
  /** Absent for an entry session. */
  readonly parent?: { readonly session: string; readonly call: string }
  readonly depth: number
  /** Names of the agents from the entry session down to this one. */
  readonly chain: readonly string[]
  /** Agents this session may delegate to, resolved at its start. */
  readonly targets: readonly string[]
  readonly completion: Completion
  /** A JSON Schema. The session then ends with JSON that validates. Sessions below do not inherit it. */
  readonly outputSchema?: JsonObject
  /** False if delegation is disabled for the run. */
  readonly delegation: boolean
  readonly limits: SessionLimits
  readonly controls?: Controls
  readonly workspace: string
  /** Absent if the session shares its workspace with other sessions. */
  readonly isolation?: Isolation
  /** For a teammate: its team, and its name in the team. A teammate can send messages to its team even if its tools do not include that. */
  readonly team?: { readonly name: string; readonly member: string }
  readonly work: Work
  /** For a session that continues a conversation: the earlier messages, alternating between user and assistant. */
  readonly history?: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]
  /**
   * The trace that telemetry of the session belongs to: the W3C `traceparent` of the program that started the tree, or a trace id. The
   * same for the whole tree.
   */
  readonly trace?: string
  /** The person who started the run: a system user, or who logged in. The same for the whole tree. */
  readonly startedBy?: string
  readonly created: string
}
