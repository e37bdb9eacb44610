import type { AgentDefinition, Budget } from './agent.ts'
import type { Image } from './entry.ts'
import { lowest, type RunLimits } from './limits.ts'
import type { Isolation } from './workspaces.ts'

/** `text`: a reply without calls ends the session. `report`: only `reportOut` does. */
export type Completion = 'text' | 'report'

export interface SessionLimits {
  readonly maxRounds: number
  /** Milliseconds of activity; absent for entry sessions. */
  readonly timeLimit?: number
  /** For this session and everything below it. */
  readonly budget?: Budget
  /**
   * For the tree of a task or of a message: the session that created the task or sent the message and whose budget pays for it, and
   * the entry session at the top of all trees that share the budget.
   */
  readonly charged?: { readonly session: string; readonly root: string }
  /** Of an entry session: the ceilings of its whole run, so that they hold when it is resumed elsewhere. */
  readonly run?: RunLimits
}

/** A session with what it may use lowered to the ceilings of its run, however and by whomever it was set. */
export function boundSession(spec: SessionSpec, ceilings: Partial<RunLimits>): SessionSpec {
  const { maxRounds, timeLimit } = ceilings
  const { limits } = spec
  const time = spec.parent === undefined ? undefined : timeLimit
  if (maxRounds === undefined && time === undefined) return spec
  return {
    ...spec,
    limits: {
      ...limits,
      maxRounds: lowest(limits.maxRounds, maxRounds),
      ...(time !== undefined && { timeLimit: lowest(limits.timeLimit ?? time, time) }),
    },
  }
}

/** What holds for a session and everything it starts, however deep and however often it is resumed. */
export interface Controls {
  /** Every effect waits for a person, whatever a rule or an earlier answer permits. */
  readonly approvalRequired?: true
  /** Nobody writes, runs programs or reaches outside. */
  readonly readOnly?: true
  /** Tools, classes or names of any dialect that nobody uses. */
  readonly deniedTools?: readonly string[]
}

export interface Work {
  readonly content: string
  readonly images?: readonly Image[]
  /** Who says it, where that is not a person: an agent, a channel, `cadre`. */
  readonly from?: string
  /** The id of the message. What a session has heard under this id already, it does not hear again. */
  readonly message?: string
}

/**
 * All a session was started with: plain data, so that it can be written down whole and carried to another process.
 * With the recorded entries it is everything needed to continue.
 */
export interface SessionSpec {
  readonly id: string
  /** The entry session of the tree this one belongs to; its own id for an entry session. */
  readonly root: string
  readonly agent: AgentDefinition
  /** The system prompt as sent: the agent's prompt, and who it may delegate to. */
  readonly systemPrompt: string
  /** Resolved before the session starts. */
  readonly model: string
  /** Absent for an entry session. */
  readonly parent?: { readonly session: string; readonly call: string }
  readonly depth: number
  /** Names of the agents from the entry session down to this one. */
  readonly chain: readonly string[]
  /** Agents this session may delegate to, resolved at its start. */
  readonly targets: readonly string[]
  readonly completion: Completion
  /** False for a run in which nobody may delegate. */
  readonly delegation: boolean
  readonly limits: SessionLimits
  readonly controls?: Controls
  readonly workspace: string
  /** Absent: it shares its workspace with whoever works there. */
  readonly isolation?: Isolation
  /** Of a teammate: its team, and its name there. It sends messages whatever the list of its tools says. */
  readonly team?: { readonly name: string; readonly member: string }
  readonly work: Work
  /** Said before, for a session that continues a conversation: user and assistant texts in turn. */
  readonly history?: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]
  readonly created: string
}
