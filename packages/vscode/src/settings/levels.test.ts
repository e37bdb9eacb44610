import { describe, expect, it } from 'vitest'
import { effectiveLevel, effectiveSettings, type LevelSettings } from './levels.ts'

const user = (values: LevelSettings['values']): LevelSettings => ({ level: 'user', values })
const workspace = (values: LevelSettings['values']): LevelSettings => ({ level: 'workspace', values })
const read = (levels: readonly LevelSettings[]) => JSON.parse(effectiveSettings(levels).text)
const agents = (...names: string[]) => names.map((name) => ({ name }))

describe('the settings that apply', () => {
  it('are those of the innermost level that defines agents, without merging lists', () => {
    const levels = [
      user({ agents: agents('a'), entryAgent: 'a' }),
      workspace({ agents: agents('b', 'c'), entryAgent: 'c' }),
    ]
    expect(effectiveLevel(levels)?.level).toBe('workspace')
    expect(read(levels)).toEqual({
      'copilotMultiAgent.agents': agents('b', 'c'),
      'copilotMultiAgent.entryAgent': 'c',
    })
  })

  it('keep an entry agent of an outer level only for an agent with that name', () => {
    const inner = workspace({ agents: agents('b', 'c') })
    expect(read([user({ entryAgent: 'c' }), inner])).toMatchObject({ 'copilotMultiAgent.entryAgent': 'c' })
    expect(read([user({ entryAgent: 'a' }), inner])).not.toHaveProperty(['copilotMultiAgent.entryAgent'])
    expect(read([user({ agents: agents('a') }), workspace({ entryAgent: 'typo' })])).toMatchObject({
      'copilotMultiAgent.entryAgent': 'typo',
    })
  })

  it('leave agents to files and the built-in team if no level defines any', () => {
    expect(effectiveSettings([user({}), workspace({})])).toEqual({
      path: 'VS Code settings',
      text: '{}',
      team: 'coordinator',
    })
    expect(effectiveSettings([user({ entryAgent: 'reviewer' })])).toMatchObject({
      text: '{}',
      entry: 'reviewer',
    })
  })

  it('contain older formats unchanged: the agents package migrates them', () => {
    const old = { coordinator: { name: 'boss' }, customAgents: agents('a') }
    expect(read([user({ agents: agents('x') }), workspace(old)])).toEqual({
      'copilotMultiAgent.coordinator': { name: 'boss' },
      'copilotMultiAgent.customAgents': agents('a'),
    })
  })
})
