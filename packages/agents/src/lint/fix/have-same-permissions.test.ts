import type { AgentDefinition } from '@cadre/core'
import { expect, it, test } from 'vitest'
import { findDifference, haveSamePermissions } from './have-same-permissions.ts'

const agent: AgentDefinition = {
  name: 'a',
  description: 'd',
  prompt: 'p',
  tools: { kind: 'list', names: ['read'] },
}

test.each<[keyof AgentDefinition, Partial<AgentDefinition>]>([
  ['tools', { tools: { kind: 'all' } }],
  ['tools', { tools: { kind: 'list', names: ['read', 'edit'] } }],
  ['disallowedTools', { disallowedTools: ['Bash'] }],
  ['permissions', { permissions: [{ tool: 'Bash', pattern: '*', action: 'allow' }] }],
  ['delegates', { delegates: { kind: 'none' } }],
  ['models', { models: ['gpt-5'] }],
  ['limits', { limits: { maxTurns: 5 } }],
  ['userInvocable', { userInvocable: false }],
  ['modelInvocable', { modelInvocable: false }],
  ['requiredSections', { requiredSections: ['Findings'] }],
  ['handoffs', { handoffs: [{ label: 'x', agent: 'b', prompt: '' }] }],
  ['isolation', { isolation: 'workspace' }],
  ['background', { background: true }],
  ['hooks', { hooks: { Stop: [] } }],
  ['mcpServers', { mcpServers: { x: {} } }],
])('detects a difference in %s: %j', (part, change) => {
  expect(findDifference(agent, { ...agent, ...change })).toBe(part)
  expect(findDifference({ ...agent, ...change }, agent)).toBe(part)
})

it('defaults and prompts are no difference', () => {
  const other = {
    ...agent,
    name: 'b',
    description: 'e',
    prompt: 'q',
    userInvocable: true,
    modelInvocable: true,
  }
  expect(haveSamePermissions(agent, other)).toBe(true)
})

it('the order of rules matters', () => {
  const rules = [
    { tool: 'Bash', pattern: '*', action: 'deny' },
    { tool: 'Bash', pattern: 'git *', action: 'allow' },
  ] as const
  expect(
    haveSamePermissions({ ...agent, permissions: rules }, { ...agent, permissions: rules.toReversed() }),
  ).toBe(false)
})
