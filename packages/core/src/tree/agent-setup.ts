import type { AgentDefinition } from '../ports/agent.ts'
import type { Ports } from '../ports/ports.ts'
import { systemPrompt } from '../session/prompt.ts'
import { delegationName, toolsetOf } from '../vocabulary/toolset.ts'
import { allowedTargets } from './delegation.ts'

export interface AgentSetup {
  readonly agent: AgentDefinition
  readonly systemPrompt: string
  /** The agents it may delegate to. */
  readonly targets: readonly string[]
}

/**
 * The setup of an agent in an entry session that a person starts by writing a file. With `above`, the chain of agents that delegated the
 * work, it is the setup of a child session that must report.
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
