import type { AgentDefinition, Json } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { addOrderMetadata, restoreOrder } from './team-order.ts'

const agent = (name: string, unknown?: { [key: string]: Json }): AgentDefinition => ({
  name,
  description: '',
  prompt: 'x',
  tools: { kind: 'all' },
  ...(unknown && { unknown }),
})

describe('the order of settings', () => {
  const team = [
    agent('c'),
    agent('a', { metadata: { author: 'me' }, icon: 'x' }),
    agent('b', { metadata: 'just text' }),
    agent('d', { metadata: {} }),
  ]

  it('is stored in the metadata of each agent and restored from it', () => {
    const marked = addOrderMetadata({ agents: team, entry: 'a' })
    expect(marked[0]?.unknown).toEqual({ metadata: { 'cadre-order': '1' } })
    expect(marked[1]?.unknown?.['metadata']).toEqual({
      author: 'me',
      'cadre-order': '2',
      'cadre-entry': 'true',
    })
    const taken = restoreOrder(marked.toReversed())
    expect(taken.agents.map(({ name }) => name)).toEqual(['c', 'a', 'b', 'd'])
    expect(taken.entry).toBe('a')
    expect(taken.agents).toEqual(team)
  })

  it('puts unmarked agents after marked ones, and keeps the rest unchanged', () => {
    const marks = { metadata: { 'cadre-order': '1' } }
    expect(restoreOrder([agent('z'), agent('y'), agent('x', marks)])).toEqual({
      agents: [agent('x'), agent('z'), agent('y')],
    })
    expect(restoreOrder([agent('x', { metadata: { 'cadre-order': 'first' } })]).agents).toEqual([agent('x')])
  })
})
