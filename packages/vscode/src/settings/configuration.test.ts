import type { Agent, Configuration } from '@cadre/settings-page'
import { describe, expect, it } from 'vitest'
import { configurationOf, problemsOf, repairedProblems } from './configuration.ts'

const agent = (name: string, more: object = {}): Agent => ({
  name,
  systemPrompt: 'You do one thing well.',
  description: 'Does one thing',
  useFor: 'That thing',
  delegationPermissions: { type: 'none' },
  toolPermissions: { type: 'all' },
  ...more,
})
const team = (...agents: Agent[]): Configuration => ({ entryAgent: agents[0]?.name ?? '', agents })

describe('the agents of a level, as they are edited', () => {
  it('are as written, including unknown keys', async () => {
    const written = { entryAgent: 'b', agents: [agent('a', { maxTurns: 5 }), agent('b')] }
    expect(await configurationOf({ level: 'user', values: written })).toEqual(written)
  })

  it('are in the current format, whatever their stored format', async () => {
    const old = {
      coordinator: { systemPrompt: 'Lead the others.', delegationPermissions: true },
      customAgents: [{ name: 'a', systemPrompt: 'x', toolPermissions: false }],
    }
    expect(await configurationOf({ level: 'user', values: old })).toMatchObject({
      entryAgent: 'coordinator',
      agents: [
        { name: 'coordinator', delegationPermissions: { type: 'all' }, toolPermissions: { type: 'all' } },
        {
          name: 'a',
          description: '',
          delegationPermissions: { type: 'none' },
          toolPermissions: { type: 'none' },
        },
      ],
    })
  })

  it('have every field, and no invalid permission', async () => {
    const values = { agents: [3, 'x', null, { name: 7, toolPermissions: { type: 'some' }, model: 5 }] }
    expect(await configurationOf({ level: 'user', values })).toMatchObject({
      agents: [{ name: '', systemPrompt: '', toolPermissions: { type: 'none' } }],
    })
    expect(await configurationOf({ level: 'user', values: { entryAgent: 'a' } })).toBeUndefined()
  })
})

describe('problems of the stored settings', () => {
  const mended = (values: object) => repairedProblems({ level: 'user', values })

  it('are none if the page shows the stored values with their problems', async () => {
    expect(
      await mended({ entryAgent: 'a', agents: [agent('a'), agent('b c', { description: '' })] }),
    ).toEqual([])
    expect(await mended({ agents: [{ name: 'a', systemPrompt: 'You do one thing.' }] })).toEqual([])
    expect(await mended({ entryAgent: 'x' })).toEqual([])
  })

  it('include a permission that the page shows as none', async () => {
    const values = {
      entryAgent: 'a',
      agents: [agent('a'), agent('b', { toolPermissions: { type: 'some' }, delegationPermissions: 'all' })],
    }
    expect(await mended(values)).toEqual([
      {
        path: 'agents[1].delegationPermissions',
        message:
          'must be an object with type "all", "none" or "specific", not "all". The agent may not delegate.',
        prevents: true,
      },
      {
        path: 'agents[1].toolPermissions.type',
        message: 'must be "all", "none" or "specific", not "some". The agent gets no tools.',
        prevents: true,
      },
    ])
  })

  it('include items that are not agents, with the places of the shown agents', async () => {
    const values = { entryAgent: 'a', agents: [7, agent('a', { toolPermissions: 'some' })] }
    expect(await mended(values)).toMatchObject([
      { path: 'agents', message: 'Entry 1 must be an object, not 7. Cadre ignores it.', prevents: true },
      { path: 'agents[0].toolPermissions', prevents: true },
    ])
  })

  it('include an invalid list of agents', async () => {
    expect(await mended({ agents: 'none' })).toMatchObject([
      { path: 'agents', message: expect.stringContaining('was not a list'), prevents: true },
    ])
  })
})

describe('fields and permissions are validated', () => {
  it('finds no problem in a valid team', async () => {
    expect(
      await problemsOf(team(agent('a', { delegationPermissions: { type: 'all' } }), agent('b'))),
    ).toEqual([])
  })

  it.each([
    ['an empty name', agent(''), 'agents[1].name', 'is empty.'],
    [
      'a name with a space',
      agent('b c'),
      'agents[1].name',
      '"b c" may contain only the letters A to Z, digits, - and _.',
    ],
    [
      'an existing name',
      agent('a'),
      'agents[1].name',
      '"a" is also the name of agent 1. Rename one of them.',
    ],
    ['no prompt', agent('b', { systemPrompt: '' }), 'agents[1].systemPrompt', 'is empty.'],
    [
      'a prompt that is too long',
      agent('b', { systemPrompt: 'x'.repeat(30_001) }),
      'agents[1].systemPrompt',
      'has 30001 characters, but the limit is 30000.',
    ],
    ['no description', agent('b', { description: '' }), 'agents[1].description', 'is empty.'],
    [
      'a description over 500',
      agent('b', { description: 'x'.repeat(501) }),
      'agents[1].description',
      'has 501 characters, but the limit is 500. Shorten it.',
    ],
    ['no purpose', agent('b', { useFor: ' ' }), 'agents[1].useFor', 'is empty.'],
    [
      'no agent chosen',
      agent('b', { delegationPermissions: { type: 'specific', agents: [] } }),
      'agents[1].delegationPermissions.agents',
      'Choose at least one, or choose "None".',
    ],
    [
      'an agent that does not exist',
      agent('b', { delegationPermissions: { type: 'specific', agents: ['a', 'x'] } }),
      'agents[1].delegationPermissions.agents[1]',
      'names "x", but there is no such agent.',
    ],
    [
      'no tool chosen',
      agent('b', { toolPermissions: { type: 'specific', tools: [] } }),
      'agents[1].toolPermissions.tools',
      'Choose at least one, or choose "None".',
    ],
  ])('prevents saving %s', async (_, second, path, message) => {
    const problems = await problemsOf(team(agent('a'), second))
    const empty = message === 'is empty.' ? { isEmpty: true } : {}
    expect(problems).toContainEqual({ path, message, prevents: true, ...empty })
  })

  it('warns about a description over 200 characters, a short prompt and a cycle, and allows saving', async () => {
    const problems = await problemsOf(
      team(
        agent('a', { delegationPermissions: { type: 'all' }, description: 'x'.repeat(201) }),
        agent('b', { delegationPermissions: { type: 'all' }, systemPrompt: 'Hi' }),
      ),
    )
    expect(problems.map(({ path, prevents }) => [path, prevents])).toEqual([
      ['agents[0].description', false],
      ['agents[1].systemPrompt', false],
      ['agents[0].delegationPermissions', false],
    ])
  })

  it('prevents saving an entry agent that does not exist', async () => {
    expect(await problemsOf({ entryAgent: 'x', agents: [agent('a')] })).toEqual([
      { path: 'entryAgent', message: 'names "x", but there is no such agent.', prevents: true },
    ])
  })

  it('prevents saving no agents at all', async () => {
    expect(await problemsOf({ entryAgent: '', agents: [] })).toContainEqual({
      path: 'agents',
      message: 'At least one agent is needed.',
      prevents: true,
    })
  })
})
