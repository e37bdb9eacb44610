import type { AgentDefinition } from '@cadre/core'

/** Normalizes an agent to a form that every dialect can express: no duplicate names, and no targets instead of an empty list. */
export function normaliseAgent(agent: AgentDefinition): AgentDefinition {
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
