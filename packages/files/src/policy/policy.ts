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
  /**
   * Which file decided each of these, for messages: `path:line` by the key as it is written there, `limits.depth`. The lists
   * of allowed models are numbered as above: `models.allow.0`.
   */
  readonly decidedBy: ReadonlyMap<string, string>
}

/** Nothing is restricted. Decisions are still made by people: to have them made beforehand must be allowed. */
export const openPolicy: Policy = {
  customAgents: true,
  subagents: true,
  cveRemediator: true,
  autoApproval: false,
  mcp: true,
  allowedModels: [],
  limits: {},
  decidedBy: new Map(),
}

/** As strict as can be: what holds where a policy cannot be read. */
export function closedPolicy(place: string): Policy {
  return {
    customAgents: false,
    subagents: false,
    cveRemediator: false,
    autoApproval: false,
    mcp: false,
    allowedModels: [[]],
    limits: { depth: 0 },
    decidedBy: new Map(
      [
        'customAgent.enabled',
        'subagent.enabled',
        'cveRemediatorAgent.enabled',
        'agentMode.autoApproval.enabled',
        'mcp.contributionPoint.enabled',
        'models.allow.0',
        'limits.depth',
      ].map((key) => [key, place]),
    ),
  }
}
