import type { AgentDefinition } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { readSettingsAgents } from '../settings/read-settings.ts'
import { writeSettings } from './write-settings.ts'

const agent = (name: string, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  name,
  description: 'd',
  useFor: 'u',
  prompt: 'You do what you do.',
  tools: { kind: 'all' },
  delegates: { kind: 'none' },
  ...more,
})

describe('writing settings', () => {
  it('in the editor’s format, with only the keys that are needed', () => {
    const { value, faults, notes } = writeSettings({
      agents: [
        agent('a', { delegates: { kind: 'list', names: ['b'] }, tools: { kind: 'list', names: [] } }),
        agent('b', { tools: { kind: 'list', names: ['read'] }, delegates: { kind: 'all' } }),
      ],
      entry: 'b',
    })
    expect([faults, notes]).toEqual([[], []])
    expect(value).toEqual({
      version: '1.0.0',
      entryAgent: 'b',
      agents: [
        {
          name: 'a',
          systemPrompt: 'You do what you do.',
          description: 'd',
          useFor: 'u',
          delegationPermissions: { type: 'specific', agents: ['b'] },
          toolPermissions: { type: 'none' },
        },
        {
          name: 'b',
          systemPrompt: 'You do what you do.',
          description: 'd',
          useFor: 'u',
          delegationPermissions: { type: 'all' },
          toolPermissions: { type: 'specific', tools: ['read'] },
        },
      ],
    })
  })

  it('reports what the editor ignores in full sentences', () => {
    const { notes } = writeSettings({ agents: [agent('a', { limits: { maxTurns: 3 } })], entry: 'a' })
    expect(notes.map(({ message }) => message)).toEqual([
      'VS Code ignores these Cadre keys: maxTurns.',
      'So VS Code does not enforce maxTurns.',
    ])
  })

  it('has a value for every key that the editor needs', () => {
    const { name, prompt, tools } = agent('a')
    const bare: AgentDefinition = { name, prompt, tools, description: '' }
    expect(
      writeSettings({ agents: [bare, { ...bare, name: 'b', description: 'd' }], entry: 'a' }).value['agents'],
    ).toMatchObject([
      {
        description: 'a',
        useFor: 'a',
        delegationPermissions: { type: 'all' },
        cadreUnset: ['description', 'useFor', 'delegationPermissions'],
      },
      {
        description: 'd',
        useFor: 'd',
        delegationPermissions: { type: 'none' },
        cadreUnset: ['useFor', 'delegationPermissions'],
      },
    ])
  })

  it.each<[string, Partial<AgentDefinition>, string]>([
    [
      'a name with a space',
      { name: 'a b' },
      'In settings, a name may contain only the letters A to Z, digits, - and _. Cadre omitted this agent.',
    ],
    [
      'no instructions',
      { prompt: ' ' },
      'It has no instructions, which settings require. Cadre omitted this agent.',
    ],
    [
      'long instructions',
      { prompt: 'x'.repeat(30_001) },
      'Its instructions have 30001 characters. Settings can contain at most 30000. Cadre omitted this agent.',
    ],
    [
      'a long description',
      { description: 'x'.repeat(501) },
      'Its description is longer than 500 characters. Cadre omitted this agent.',
    ],
    ['an existing name', { name: 'z' }, 'Another agent has the same name. Cadre omitted this agent.'],
    [
      'a long tool name',
      { tools: { kind: 'list', names: ['x'.repeat(101)] } },
      'is longer than 100 characters',
    ],
  ])('omits and reports an agent with %s', (_, part, message) => {
    const { value, faults } = writeSettings({ agents: [agent('z'), agent('a', part)] })
    expect(value['agents']).toHaveLength(1)
    expect(faults.map((fault) => fault.message).join()).toContain(message)
  })

  it('reports unknown names, and the exact spelling of names', () => {
    const { value, faults, notes } = writeSettings({
      agents: [agent('a', { delegates: { kind: 'list', names: ['B', 'gone'] } }), agent('b')],
      entry: 'a',
    })
    expect(value['agents']).toMatchObject([
      { delegationPermissions: { type: 'specific', agents: ['b'] } },
      {},
    ])
    expect(faults).toEqual([
      { agent: 'a', message: expect.stringContaining('"gone", which is not among the exported agents') },
    ])
    expect(notes).toEqual([
      { agent: 'a', message: `It may delegate to "B". Cadre wrote that agent's exact name, b.` },
    ])
  })

  it('reports too many agents or delegations', () => {
    const all = { delegates: { kind: 'all' } } as const
    const many = Array.from({ length: 21 }, (_, index) => agent(`a${index}`, all))
    const { faults } = writeSettings({ agents: many })
    expect(faults[0]).toEqual({
      agent: 'a20',
      message: 'Settings can contain at most 20 agents. Cadre omitted this agent.',
    })
    expect(faults.filter(({ message }) => message.includes('delegates'))).toHaveLength(15)
  })

  it('prefers a person’s value over the placeholder of a missing key', () => {
    const { name, prompt, tools } = agent('a')
    const { text } = writeSettings({ agents: [{ name, prompt, tools, description: 'd' }] })
    const read = (edited: string) => readSettingsAgents({ path: 'team.json', text: edited }).agents[0]?.agent
    expect(read(text)).not.toHaveProperty('delegates')
    expect(read(text)).not.toHaveProperty('useFor')
    expect(read(text.replace('"type": "all"', '"type": "none"'))).toMatchObject({
      delegates: { kind: 'none' },
    })
    expect(read(text.replace('"useFor": "d"', '"useFor": "reviews"'))).toMatchObject({ useFor: 'reviews' })
  })
})
