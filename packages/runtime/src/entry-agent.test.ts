import type { AgentDefinition } from '@cadre/core'
import { expect, test } from 'vitest'
import { entryAgent } from './entry-agent.ts'

const agent = (name: string, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  name,
  description: '',
  prompt: '',
  tools: { kind: 'all' },
  ...more,
})
const agents = [agent('alpha'), agent('Lead'), agent('hidden', { userInvocable: false })]

test('prefers the requested agent, then the configured one, then the lead', () => {
  expect(entryAgent({ agents, faults: [] }).name).toBe('Lead')
  expect(entryAgent({ agents, configured: 'alpha', faults: [] }).name).toBe('alpha')
  expect(entryAgent({ agents, configured: 'alpha', wanted: 'lead', faults: [] }).name).toBe('Lead')
  expect(entryAgent({ agents, wanted: 'assistant', faults: [] }).name).toBe('assistant')
})

test('the only agent is the entry agent, unless it is a subagent of Claude Code', () => {
  const only = (dialect: 'copilot' | 'claude', name = 'reviewer') =>
    entryAgent({ agents: [agent(name, { source: { path: `/p/${name}.md`, dialect } })], faults: [] }).name
  expect(only('copilot')).toBe('reviewer')
  expect(only('claude')).toBe('assistant')
  expect(only('claude', 'lead')).toBe('lead')
})

test('refuses an agent that cannot start, with the reason', () => {
  expect(() => entryAgent({ agents, wanted: 'hidden', faults: [] })).toThrow('only other agents can start')
  expect(() => entryAgent({ agents, wanted: 'alhpa', faults: [] })).toThrow('Did you mean alpha?')
  expect(() => entryAgent({ agents, configured: 'nobody', faults: [] })).toThrow(
    '"entry" in the configuration names an agent that does not exist: "nobody"',
  )
})

test('reports the broken file of a requested agent, not a missing agent', () => {
  const faults = ['/h/templates/other.agent.yaml:3: wrong', '/h/templates/beta.agent.yaml:2: wrong']
  expect(() => entryAgent({ agents, wanted: 'beta', faults })).toThrow(
    '/h/templates/beta.agent.yaml:2: wrong',
  )
  expect(() => entryAgent({ agents: [], faults })).toThrow('/h/templates/other.agent.yaml:3: wrong')
  expect(entryAgent({ agents, faults }).name).toBe('Lead')
})
