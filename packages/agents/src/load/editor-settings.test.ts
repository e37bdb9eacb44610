import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAgents } from './create-agents.ts'
import { loadAgents } from './load-agents.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-editor-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const write = (file: string, text: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  writeFileSync(path.join(root, file), text)
}
const agent = (name: string, more: object = {}) => ({
  name,
  systemPrompt: `You are the ${name}.`,
  description: `The ${name}`,
  useFor: 'Everything',
  delegationPermissions: { type: 'none' },
  toolPermissions: { type: 'all' },
  ...more,
})
const settings = (agents: unknown, entryAgent?: string) => ({
  path: 'VS Code settings',
  text: JSON.stringify({ 'copilotMultiAgent.agents': agents, 'copilotMultiAgent.entryAgent': entryAgent }),
})
const written = JSON.stringify({ 'copilotMultiAgent.agents': [agent('on-disk')] })

describe('settings that an editor passes', () => {
  it('define agents and the entry agent', () => {
    const agents = createAgents({ project: root, settings: settings([agent('a'), agent('b')], 'b') })
    expect(agents.list().map(({ name }) => name)).toEqual(['a', 'b'])
    expect(agents.loaded().entry).toBe('b')
    expect(agents.get('A')?.source).toMatchObject({ path: 'VS Code settings', dialect: 'settings' })
  })

  it('replace .vscode/settings.json, even if they define no agents', async () => {
    write('.vscode/settings.json', written)
    const names = (given: object) =>
      createAgents({ project: root, ...given })
        .list()
        .map(({ name }) => name)
    expect(names({})).toEqual(['on-disk'])
    expect(names({ settings: settings([agent('a')]) })).toEqual(['a'])
    expect(names({ settings: { path: 'VS Code settings', text: '{}' } })).toEqual([])
    const loaded = await loadAgents({ project: root, settings: settings([agent('a')]) })
    expect(loaded.agents.map(({ name }) => name)).toEqual(['a'])
  })

  it('take precedence over agent files with the same name', () => {
    write('.github/agents/a.agent.md', '---\nname: a\ndescription: From a file\n---\nDo it.\n')
    const { agents, files } = createAgents({ project: root, settings: settings([agent('a')]) }).loaded()
    expect(agents).toMatchObject([{ name: 'a', description: 'The a' }])
    expect(files.find(({ path: at }) => at.endsWith('a.agent.md'))?.shadowedBy).toBe('VS Code settings')
  })

  it('report problems with their key path, and use the rest', () => {
    const agents = createAgents({
      project: root,
      settings: settings([agent('a', { toolPermissions: { type: 'some' } }), agent('b c')], 'a'),
    })
    expect(agents.list()).toMatchObject([{ name: 'a', tools: { kind: 'list', names: [] } }])
    const messages = agents.loaded().diagnostics.map(({ message }) => message)
    expect(messages).toEqual([
      expect.stringMatching(/^configuration\.agents\[0\]\.toolPermissions\.type must be "all", "none"/),
      expect.stringMatching(/^configuration\.agents\[1\]\.name \("b c"\) may contain only/),
    ])
  })
})
