import type { AgentDefinition } from '../ports/agent.ts'
import type { Ports } from '../ports/ports.ts'
import { systemPrompt } from '../session/prompt.ts'
import { delegationName, toolsetOf } from '../vocabulary/toolset.ts'
import { allowedTargets } from './delegation.ts'

export interface AgentSetup {
  readonly agent: AgentDefinition
  readonly systemPrompt: string
  /** Whom it may delegate to. */
  readonly targets: readonly string[]
}

/**
 * What an agent has at hand in a session at the top that somebody else has begun: a person, with a text editor. With `above`, the
 * agents that the work came through, it is what it has when they delegate to it and it must report.
 */
export function agentSetup(
  agent: AgentDefinition,
  { agents, tools }: Pick<Ports, 'agents' | 'tools'>,
  above: readonly string[] = [],
): AgentSetup {
  const chain = [...above, agent.name]
  const isTop = above.length === 0
  const targets = allowedTargets(agent, agents.list(), isTop).filter(({ name }) => !chain.includes(name))
  const names = targets.map(({ name }) => name)
  const toolset = toolsetOf({ agent, tools, targets: names, completion: isTop ? 'text' : 'report' })
  const canDelegate = delegationName(toolset) !== undefined
  return {
    agent,
    systemPrompt: systemPrompt(agent, targets, toolset),
    targets: canDelegate ? names : [],
  }
}
