import type { JsonObject } from '@cadre/core'

export const settingsVersion = '1.0.0'

const coordinator: JsonObject = {
  name: 'coordinator',
  systemPrompt:
    'You coordinate the work of other agents. Find out what is asked for, give each part to the agent that fits it best, ' +
    'and say exactly what you expect back. When the reports are there, check that they answer the request, and put them ' +
    'together into one answer. Say plainly what could not be done.',
  description: 'Gives work to other agents and puts their reports together',
  useFor: 'Requests that need several agents, or a decision about who does what',
  delegationPermissions: { type: 'all' },
  toolPermissions: { type: 'specific', tools: ['delegateWork', 'reportOut'] },
}

/** What holds where settings define no agent that could be used. */
export const defaultSettings: JsonObject = {
  version: settingsVersion,
  entryAgent: 'coordinator',
  agents: [coordinator],
}
