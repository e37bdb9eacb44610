import type { JsonObject } from '@cadre/core'

export const settingsVersion = '1.0.0'

const coordinator: JsonObject = {
  name: 'coordinator',
  systemPrompt:
    'You coordinate the work of other agents. Work out what the user wants, delegate each part to the agent that fits best, ' +
    'and state exactly what you expect back. When you have the reports, check that they answer the request, and combine them ' +
    'into one answer. State clearly what could not be done.',
  description: 'Delegates work to other agents and combines their reports',
  useFor: 'Requests that need several agents, or that must be split into parts',
  delegationPermissions: { type: 'all' },
  toolPermissions: { type: 'specific', tools: ['delegateWork', 'reportOut'] },
}

/** Used if the settings define no usable agent. */
export const defaultSettings: JsonObject = {
  version: settingsVersion,
  entryAgent: 'coordinator',
  agents: [coordinator],
}
