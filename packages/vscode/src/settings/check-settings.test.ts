import { describe, expect, it } from 'vitest'
import { checkSettings, type LevelText } from './check-settings.ts'
import { digestOf } from './digest-of.ts'
import { type LevelSettings, settingsText } from './levels.ts'

const agent = (name: string, more: object = {}) => ({
  name,
  systemPrompt: 'You do one thing well.',
  description: 'Does one thing',
  useFor: 'That thing',
  delegationPermissions: { type: 'none' },
  toolPermissions: { type: 'all' },
  ...more,
})
const level = (values: LevelSettings['values'], more: Partial<LevelText> = {}): LevelText => ({
  level: 'workspace',
  values,
  text: settingsText(values),
  isFile: true,
  path: '.vscode/settings.json',
  ...more,
})
const targets = (...agents: string[]) => ({ delegationPermissions: { type: 'specific', agents } })

describe('settings are validated at once', () => {
  it('finds nothing in valid or missing settings', async () => {
    expect(await checkSettings([level({}), level({ agents: [agent('a')], entryAgent: 'a' })])).toEqual({
      problems: [],
      old: [],
    })
  })

  it('names the path and the line of an error', async () => {
    const values = { entryAgent: 'a', agents: [agent('a'), agent('b'), agent('c', targets('nobody'))] }
    const { problems } = await checkSettings([level(values)])
    const lines = settingsText(values).split('\n')
    expect(problems).toMatchObject([
      {
        level: 'workspace',
        severity: 'warning',
        message:
          'configuration.agents[2].delegationPermissions.agents[0] names "nobody", but there is no such agent. Cadre ignores the name.',
        line: lines.findIndex((line) => line.includes('nobody')) + 1,
      },
    ])
  })

  it('names no line if the file is unknown', async () => {
    const { problems } = await checkSettings([level({ agents: [agent('a b')] }, { isFile: false })])
    expect(problems[0]).not.toHaveProperty('line')
  })

  it('judges VS Code’s values if the file already differs', async () => {
    const ahead = level(
      { agents: [agent('a')], entryAgent: 'a' },
      { text: settingsText({ entryAgent: 'a' }) },
    )
    expect((await checkSettings([ahead])).problems).toEqual([])
    const broken = level({ agents: [agent('a b')] }, { text: '{ "copilotMultiAgent.agents": [' })
    expect((await checkSettings([broken])).problems[0]).not.toHaveProperty('line')
  })

  it('uses and reports defaults for settings that are invalid as a whole', async () => {
    const { problems } = await checkSettings([level({ agents: 'none' })])
    expect(problems.map(({ message }) => message).join('\n')).toContain('default configuration')
  })

  it('reports levels with an older format', async () => {
    const old = level({ coordinator: agent('boss'), customAgents: [] })
    const booleans = level({ agents: [agent('a', { toolPermissions: true })] }, { level: 'user' })
    const found = await checkSettings([booleans, old])
    expect(found.old).toEqual(['user', 'workspace'])
    expect(found.problems.map(({ code }) => code)).toContain('settings-migrated')
  })

  it('judges an entry agent by the agents of the level in use', async () => {
    const ofUser = level({ agents: [agent('a')] }, { level: 'user' })
    expect((await checkSettings([ofUser, level({ entryAgent: 'a' })])).problems).toEqual([])
    expect((await checkSettings([ofUser, level({ entryAgent: 'x' })])).problems).toMatchObject([
      { level: 'workspace', code: 'settings-entry', line: 2 },
    ])
    expect((await checkSettings([level({ entryAgent: 'of-a-file' })])).problems).toEqual([])
    const outer = level({ entryAgent: 'x' }, { level: 'user' })
    expect((await checkSettings([outer, level({ agents: [agent('a')], entryAgent: 'a' })])).problems).toEqual(
      [],
    )
  })

  it('identifies the same problems by a digest', async () => {
    const first = await checkSettings([level({ agents: [agent('a b')] })])
    const again = await checkSettings([
      level({ agents: [agent('a b')] }, { text: `\n${settingsText({ agents: [agent('a b')] })}` }),
    ])
    const other = await checkSettings([level({ agents: [agent('a c')] })])
    expect(digestOf(first.problems)).toBe(digestOf(again.problems))
    expect(digestOf(first.problems)).not.toBe(digestOf(other.problems))
  })
})
