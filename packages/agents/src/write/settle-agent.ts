import type { AgentDefinition } from '@cadre/core'

/**
 * The same agent, in the one way that every dialect can say it: no name in a list twice, and nobody to delegate to is
 * nobody, not an empty list.
 */
export function settleAgent(agent: AgentDefinition): AgentDefinition {
  const { tools, disallowedTools, delegates } = agent
  return {
    ...agent,
    tools: tools.kind === 'list' ? { kind: 'list', names: [...new Set(tools.names)] } : tools,
    ...(disallowedTools !== undefined && { disallowedTools: [...new Set(disallowedTools)] }),
    ...(delegates?.kind === 'list' && {
      delegates:
        delegates.names.length === 0
          ? { kind: 'none' }
          : { kind: 'list', names: [...new Set(delegates.names)] },
    }),
  }
}
