import type { SessionSpec } from '@cadre/core'

export const timestamp = '2026-01-01T00:00:00.000Z'
/** A session of a tree that a worker runs. */
export const spec: SessionSpec = {
  id: 'lead-1',
  root: 'lead-1',
  agent: { name: 'lead', description: 'Leads.', prompt: 'You lead.', tools: { kind: 'all' } },
  systemPrompt: 'You lead.\n',
  model: 'scripted',
  depth: 0,
  chain: ['lead'],
  targets: [],
  completion: 'text',
  delegation: true,
  limits: { maxRounds: 30 },
  workspace: '/project',
  work: { content: 'Do it.' },
  created: timestamp,
}
