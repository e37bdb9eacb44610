import type { Budget } from '@cadre/core'

/**
 * What an organisation, a person and a project permit, taken together: the strictest of all holds, so that every level can
 * only tighten what is above it.
 */
export interface Policy {
  /** Agents that come from files. Built-in ones are not concerned. */
  readonly customAgents: boolean
  /** Delegation, by anybody. */
  readonly subagents: boolean
  readonly cveRemediator: boolean
  /** Whether decisions may be made beforehand, by a rule or a flag. */
  readonly autoApproval: boolean
  readonly mcp: boolean
  /** Patterns of model names, with `*`: a model must fit one pattern of each list. */
  readonly allowedModels: readonly (readonly string[])[]
  readonly limits: {
    readonly depth?: number
    readonly concurrency?: number
    readonly sessions?: number
    readonly maxTurns?: number
    readonly timeoutSeconds?: number
    readonly budget?: Budget
  }
  /** Which file decided each of these, for messages: `path:line` by the key as it is written there. */
  readonly decidedBy: ReadonlyMap<string, string>
}
