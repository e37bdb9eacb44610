import type { Rule } from '@cadre/core'

/**
 * What may happen where no policy says anything: reading, and writing inside the workspace, which is all the tools can do
 * there. Whatever runs programs or reaches outside waits for a person.
 */
export const defaultEffects: Rule = {
  by: 'policy',
  name: 'default-effects',
  immediate: true,
  judge({ tool }) {
    if (tool.effect === 'read' || tool.effect === 'write') return undefined
    // Its command comes from the configuration, where a person has trusted it already; an agent cannot change it.
    if (tool.name === 'get_errors' && tool.origin === 'built-in') return undefined
    const risk = tool.effect === 'execute' ? 'HIGH' : 'MEDIUM'
    const reason = tool.effect === 'execute' ? 'it runs a program' : 'it reaches outside of this machine'
    return { kind: 'ask', by: 'policy', rule: 'default-effects', reason, risk }
  },
}
