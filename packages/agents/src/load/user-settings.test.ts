import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { listAgentFolders } from './agent-paths.ts'
import { loadAgents } from './load-agents.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cadre-user-settings-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (file: string, text: string) => {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const agent = (name: string) => ({
  name,
  systemPrompt: `You are ${name}, always.`,
  description: 'd',
  useFor: 'u',
  delegationPermissions: { type: 'none' },
  toolPermissions: { type: 'all' },
})
const settings = (entry: string) =>
  `{ // mine\n  "agents": 3,\n  "copilotMultiAgent.entryAgent": "${entry}",\n  "copilotMultiAgent.agents": ${JSON.stringify([agent(entry)])}\n}`
const load = (more: object = {}) =>
  loadAgents({ userHome: path.join(folder, 'user'), project: path.join(folder, 'project'), ...more })
const userFile = () =>
  listAgentFolders({ userHome: path.join(folder, 'user') }).find(({ dialect }) => dialect.name === 'settings')
    ?.at ?? ''

it('reads the user settings of VS Code, and ignores other keys in them', async () => {
  write(userFile(), settings('mine'))
  const { agents, entry, diagnostics } = await load()
  expect(agents.map(({ name }) => name)).toEqual(['mine'])
  expect(entry).toBe('mine')
  expect(diagnostics).toEqual([])
})

it('lets a project with agents choose its own entry agent', async () => {
  write(userFile(), settings('mine'))
  write(
    path.join(folder, 'project/.github/agents/lead.agent.md'),
    '---\nname: lead\ndescription: d\n---\nLead.\n',
  )
  const { agents, entry } = await load()
  expect(agents.map(({ name }) => name)).toEqual(['lead', 'mine'])
  expect(entry).toBeUndefined()
  write(path.join(folder, 'project/.vscode/settings.json'), settings('inner'))
  expect((await load()).entry).toBe('inner')
})

it('uses the entry agent that the editor passes, even in a project with agents', async () => {
  write(
    path.join(folder, 'project/.github/agents/lead.agent.md'),
    '---\nname: lead\ndescription: d\n---\nLead.\n',
  )
  const editor = { path: 'VS Code settings', text: settings('tester') }
  expect((await load({ settings: editor })).entry).toBe('tester')
})

it('ignores the file if the editor passes its settings', async () => {
  write(userFile(), settings('mine'))
  const editor = { path: 'VS Code settings', text: '{}' }
  expect((await load({ settings: editor })).agents).toEqual([])
})
