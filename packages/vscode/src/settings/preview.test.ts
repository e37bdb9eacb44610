import type { AgentDefinition } from '@cadre/core'
import type { Agent, Configuration } from '@cadre/settings-page'
import { createTools } from '@cadre/tools'
import { describe, expect, it } from 'vitest'
import { createPreview } from './preview.ts'

const tools = createTools()
const agent = (name: string, more: object = {}): Agent => ({
  name,
  systemPrompt: `You are the ${name}.`,
  description: `The ${name}`,
  useFor: `Work for a ${name}`,
  delegationPermissions: { type: 'none' },
  toolPermissions: { type: 'all' },
  ...more,
})
const team: Configuration = {
  entryAgent: 'lead',
  agents: [
    agent('lead', {
      delegationPermissions: { type: 'all' },
      toolPermissions: { type: 'specific', tools: ['delegateWork'] },
    }),
    agent('tester', { delegationPermissions: { type: 'all' } }),
    agent('plain'),
  ],
}
const preview = (selected: number, others: readonly AgentDefinition[] = [], configuration = team) =>
  createPreview({ configuration, selected, tools, others })

describe('the preview of a prompt', () => {
  it('ends with the agents that the entry agent may delegate to', async () => {
    const found = await preview(0)
    expect(found?.prompt).toMatch(/^You are the lead\.\n\n## Available Agents for Delegation\n/)
    expect(found?.prompt).toContain('- **tester**: Work for a tester')
    expect(found?.prompt).toContain('use one of these agent names: plain, tester')
    expect(found?.tools).toEqual(['delegateWork'])
  })

  it('of another agent is what it gets when the entry agent delegates to it', async () => {
    const found = await preview(1)
    expect(found?.prompt).toContain('use one of these agent names: plain')
    expect(found?.prompt).not.toContain('**lead**')
    expect(found?.tools).toContain('reportOut')
  })

  it('is the prompt unchanged for an agent that may not delegate', async () => {
    expect((await preview(2))?.prompt).toBe('You are the plain.')
  })

  it('includes agents of files, unless the settings have one with that name', async () => {
    const file = (name: string): AgentDefinition => ({
      name,
      description: `From a file`,
      prompt: 'x',
      tools: { kind: 'all' },
    })
    const found = await preview(0, [file('writer'), file('Tester')])
    expect(found?.prompt).toContain('- **writer**: From a file')
    expect(found?.prompt).not.toContain('**Tester**')
  })

  it('is absent for an invalid agent', async () => {
    expect(await preview(0, [], { ...team, agents: [agent('not a name'), agent('b')] })).toBeUndefined()
  })
})
