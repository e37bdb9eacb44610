import { describe, expect, it } from 'vitest'
import {
  addAgent,
  addAgents,
  changeAgent,
  changeModel,
  deleteAgent,
  duplicateAgent,
  emptyAgent,
  freeName,
  moveAgent,
  referencesTo,
  renameAgent,
} from './edit.ts'
import type { Agent, Configuration } from './protocol.ts'

const agent = (name: string, targets: readonly string[] = [], more: object = {}): Agent => ({
  ...emptyAgent(name),
  ...(targets.length > 0 && { delegationPermissions: { type: 'specific', agents: targets } }),
  ...more,
})
const team: Configuration = {
  entryAgent: 'lead',
  agents: [agent('lead', ['reviewer', 'tester']), agent('reviewer'), agent('tester', ['reviewer'])],
}
const names = ({ agents }: Configuration) => agents.map(({ name }) => name)
const targets = ({ agents }: Configuration, index: number) => agents[index]?.delegationPermissions

describe('editing agents', () => {
  it('adds an agent under a free name, and makes the first one the entry agent', () => {
    expect(names(addAgent(team, emptyAgent('new-agent')))).toEqual([
      'lead',
      'reviewer',
      'tester',
      'new-agent',
    ])
    expect(names(addAgent(team, emptyAgent('Lead')))).toContain('Lead-2')
    expect(addAgent({ entryAgent: 'gone', agents: [] }, emptyAgent('a')).entryAgent).toBe('a')
  })

  it('gives a new agent only tools that read and search', () => {
    expect(emptyAgent('a')).toMatchObject({
      delegationPermissions: { type: 'none' },
      toolPermissions: { type: 'specific', tools: ['read', 'search'] },
    })
  })

  it('finds free names that fit the limit of 50 characters', () => {
    const long = 'a'.repeat(50)
    expect(freeName(long, [agent(long)])).toHaveLength(50)
    expect(freeName('a-2', [agent('a'), agent('a-2')])).toBe('a-3')
  })

  it('duplicates an agent next to it, with everything but its name', () => {
    const more = duplicateAgent(
      { ...team, agents: team.agents.with(1, agent('reviewer', [], { maxTurns: 7 })) },
      1,
    )
    expect(names(more)).toEqual(['lead', 'reviewer', 'reviewer-copy', 'tester'])
    expect(more.agents[2]).toMatchObject({ maxTurns: 7 })
    expect(names(duplicateAgent(more, 1))).toContain('reviewer-copy-2')
  })

  it('updates the references to a renamed agent', () => {
    const renamed = renameAgent(team, 1, 'critic')
    expect(targets(renamed, 0)).toEqual({ type: 'specific', agents: ['critic', 'tester'] })
    expect(targets(renamed, 2)).toEqual({ type: 'specific', agents: ['critic'] })
    expect(renameAgent(team, 0, 'boss').entryAgent).toBe('boss')
  })

  it('keeps references while two agents have the same name', () => {
    const twice = renameAgent(team, 2, 'reviewer')
    const apart = renameAgent(twice, 2, 'reviewer-b')
    expect(targets(apart, 0)).toEqual({ type: 'specific', agents: ['reviewer', 'reviewer'] })
  })

  it('removes a deleted agent from the lists of others; an empty list becomes none', () => {
    const left = deleteAgent(team, 1)
    expect(targets(left, 0)).toEqual({ type: 'specific', agents: ['tester'] })
    expect(targets(left, 1)).toEqual({ type: 'none' })
    expect(left.entryAgent).toBe('lead')
    expect(referencesTo(team, 1)).toEqual(['lead', 'tester'])
  })

  it('replaces a deleted entry agent with the chosen successor', () => {
    expect(deleteAgent(team, 0, 'tester')).toMatchObject({ entryAgent: 'tester' })
    expect(deleteAgent(team, 0)).toMatchObject({ entryAgent: 'reviewer' })
  })

  it('never deletes the last agent', () => {
    const one = { entryAgent: 'a', agents: [agent('a')] }
    expect(deleteAgent(one, 0)).toBe(one)
  })

  it('moves agents, and stops at both ends', () => {
    expect(names(moveAgent(team, 0, 1))).toEqual(['reviewer', 'lead', 'tester'])
    expect(moveAgent(team, 0, -1)).toBe(team)
    expect(moveAgent(team, 2, 1)).toBe(team)
  })

  it('adds a team whose agents refer to each other, renamed if a name exists', () => {
    const more = addAgents(team, [agent('lead', ['reviewer']), agent('reviewer')], 'lead')
    expect(names(more).slice(3)).toEqual(['lead-2', 'reviewer-2'])
    expect(targets(more, 3)).toEqual({ type: 'specific', agents: ['reviewer-2'] })
    expect(more.entryAgent).toBe('lead')
    expect(addAgents({ entryAgent: '', agents: [] }, [agent('a'), agent('b')], 'b').entryAgent).toBe('b')
  })

  it('changes fields, and removes an empty model', () => {
    const changed = changeAgent(team, 1, { description: 'Reviews' })
    expect(changed.agents[1]).toMatchObject({ name: 'reviewer', description: 'Reviews' })
    const modelled = changeModel(team, 1, 'gpt')
    expect(modelled.agents[1]).toMatchObject({ model: 'gpt' })
    expect(changeModel(modelled, 1, '').agents[1]).not.toHaveProperty('model')
  })
})
