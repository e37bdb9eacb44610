import type { AgentDefinition } from '@cadre/core'
import { createTools } from '@cadre/tools'
import { expect, it } from 'vitest'
import { missingTools, toolGroups } from './tool-choices.ts'

const builtIn = createTools()
const editor = [
  { name: 'copilot_searchCodebase', description: 'Searches.\nWith much more to say.' },
  { name: 'mcp_db_query', description: 'Asks the database. Slowly.' },
  { name: 'copilotMultiAgent_delegateWork', description: 'Ours' },
]

it('groups the tools that can be permitted, of Cadre and of VS Code', () => {
  const groups = toolGroups(builtIn, editor)
  expect(groups.map(({ label }) => label)).toEqual([
    'Sets of tools',
    'Delegation',
    'Built-in tools',
    'VS Code and extensions',
    'MCP servers',
  ])
  expect(groups[2]?.tools.map(({ name }) => name)).toContain('read_file')
  expect(groups[3]?.tools).toEqual([{ name: 'copilot_searchCodebase', description: 'Searches.' }])
  expect(groups[4]?.tools).toEqual([{ name: 'mcp_db_query', description: 'Asks the database.' }])
})

it('finds tools that agents name but that do not exist', async () => {
  const agent = (name: string, tools: readonly string[]): AgentDefinition => ({
    name,
    description: '',
    prompt: 'x',
    tools: { kind: 'list', names: tools },
  })
  const agents = [
    agent('a', ['read', 'read_file', 'Grep', 'delegateWork', 'reportOut', 'gone_tool']),
    agent('b', ['reportOut']),
    { ...agent('c', []), tools: { kind: 'all' as const } },
  ]
  expect(await missingTools(agents, builtIn)).toEqual([{ agent: 'a', tool: 'gone_tool' }])
})
