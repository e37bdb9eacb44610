import { describe, expect, it } from 'vitest'
import { problemsOf } from './configuration.ts'
import { exportedFiles, exportedText, importFiles, importTeam } from './transfer.ts'

const listTeams = [
  'coordinator',
  'coordinator/minimal',
  'coordinator/advanced',
  'supervisor',
  'explorers',
  'planner',
  'operators',
]

describe('templates, import and export', () => {
  it.each(listTeams)('returns the built-in team %s as agents that can be saved', async (name) => {
    const { agents, entry, notes } = await importTeam(name)
    expect(agents.length).toBeGreaterThan(0)
    expect(agents.map((agent) => agent.name)).toContain(entry)
    expect(notes).toEqual([])
    const problems = await problemsOf({ entryAgent: entry ?? '', agents })
    expect(problems.filter(({ prevents }) => prevents)).toEqual([])
  })

  it('exports agents as JSON that can be imported again without loss', async () => {
    const { agents, entry = '' } = await importTeam('coordinator')
    const text = exportedText({ entryAgent: entry, agents })
    expect(JSON.parse(text)).toMatchObject({ version: '1.0.0', entryAgent: 'coordinator' })
    expect(await importFiles([{ path: 'team.json', text }])).toEqual({ agents, entry, notes: [] })
  })

  it('exports agents as agent files that can be imported again without loss', async () => {
    const { agents, entry = '' } = await importTeam('coordinator')
    const { files } = await exportedFiles({ entryAgent: entry, agents })
    expect(files.map(({ path }) => path)).toContain('.github/agents/coordinator.agent.md')
    expect(await importFiles(files)).toMatchObject({ agents, entry })
  })

  it('imports older settings, and reports the changes', async () => {
    const text = JSON.stringify({
      coordinator: {
        systemPrompt: 'Lead the others.',
        description: 'd',
        useFor: 'u',
        delegationPermissions: true,
      },
      customAgents: [
        {
          name: 'a',
          systemPrompt: 'You are a good agent.',
          description: 'd',
          useFor: 'u',
          toolPermissions: false,
        },
      ],
    })
    const taken = await importFiles([{ path: 'old.json', text }])
    expect(taken).toMatchObject({
      entry: 'coordinator',
      agents: [{ delegationPermissions: { type: 'all' } }, { toolPermissions: { type: 'none' } }],
    })
    expect(taken.notes.join('\n')).toContain('was written as coordinator')
  })

  it('reports what is wrong with a file without agents', async () => {
    expect(await importFiles([{ path: 'x.json', text: '{"some": "thing"}' }])).toMatchObject({
      agents: [],
      notes: [expect.stringMatching(/no agents|There are/i)],
    })
  })
})
