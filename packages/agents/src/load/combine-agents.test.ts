import type { AgentDefinition } from '@cadre/core'
import { expect, it } from 'vitest'
import { listAgentFolders } from './agent-paths.ts'
import { combineAgents } from './combine-agents.ts'

const agent = (name: string, prompt: string): AgentDefinition => ({
  name,
  description: 'd',
  prompt,
  tools: { kind: 'all' },
})

const [opencode] = listAgentFolders({ project: '/p' })
const settings = listAgentFolders({ project: '/p' }).at(-1)
if (opencode === undefined || settings === undefined)
  throw new Error('unreachable: the project has no places')

const file = (place: typeof settings, path: string) => ({
  path,
  real: path,
  place,
  depth: 0,
  stamp: { is: '', changed: 0 },
  size: 1,
})

it('settings define several agents, above all files, and the entry agent', () => {
  const note = {
    path: '/p/.vscode/settings.json',
    line: 3,
    severity: 'warning',
    code: 'x',
    message: 'm',
  } as const
  const { agents, files, diagnostics, entry } = combineAgents({
    builtIns: [agent('c', 'built in')],
    endless: [],
    outside: [],
    unreadable: [],
    parsed: [
      {
        file: file(opencode, '/p/.opencode/agent/a.md'),
        read: { agents: [{ agent: agent('a', 'file'), diagnostics: [] }] },
      },
      {
        file: file(settings, '/p/.vscode/settings.json'),
        read: {
          agents: [
            { agent: agent('A', 'settings'), diagnostics: [note] },
            { agent: agent('b', 'settings'), diagnostics: [] },
            { agent: agent('B', 'again'), diagnostics: [] },
          ],
          entry: 'b',
        },
      },
    ],
  })
  expect(agents.map(({ name, prompt }) => `${name} ${prompt}`)).toEqual([
    'A settings',
    'b settings',
    'c built in',
  ])
  expect(entry).toBe('b')
  expect(
    files.map(({ dialect, agent: name, status, shadowedBy }) => [dialect, name, status, shadowedBy]),
  ).toEqual([
    ['opencode', 'a', 'ok', '/p/.vscode/settings.json'],
    ['settings', 'A', 'ok', undefined],
    ['settings', 'b', 'ok', undefined],
    ['settings', 'B', 'failed', '/p/.vscode/settings.json'],
  ])
  expect(diagnostics.map(({ code }) => code)).toEqual(['shadowed', 'x', 'name-twice'])
})
