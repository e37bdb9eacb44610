import { defineTool, object, type Tool, toolsetOf } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { type ListedTool, planTools } from './plan-tools.ts'

const listed: readonly ListedTool[] = [
  { name: 'copilot_readFile', extension: 'GitHub.copilot-chat', referenceName: 'readFile' },
  { name: 'run_in_terminal' },
  { name: 'runSubagent' },
  {
    name: 'copilotMultiAgent_delegateWork',
    extension: 'cadre.copilot-multi-agent',
    referenceName: 'delegateWork',
  },
  { name: 'vscode_get_confirmation' },
  { name: 'acme_deploy', extension: 'acme.tools', referenceName: 'deploy' },
  { name: 'acme_list', extension: 'acme.tools', referenceName: 'read' },
  { name: 'mcp_github_create_issue' },
  { name: '1 strange.name' },
  { name: '1_strange_name' },
  { name: 'send_to_terminal' },
  { name: 'read.file' },
  { name: 'copilot_listCodeUsages', extension: 'GitHub.copilot-chat', referenceName: 'usages' },
]
const planned = planTools(listed)

it('offers tools without an equivalent, under valid unique names', () => {
  expect(planned.map(({ name }) => name)).toEqual([
    'acme_deploy',
    'acme_list',
    'mcp_github_create_issue',
    'tool_1_strange_name',
    'tool_1_strange_name_2',
    'send_to_terminal',
    'copilot_listCodeUsages',
  ])
})

it('treats every unknown tool as outbound', () => {
  const effects = Object.fromEntries(planned.map(({ name, effect }) => [name, effect]))
  expect(effects).toMatchObject({
    acme_deploy: 'outbound',
    mcp_github_create_issue: 'outbound',
    send_to_terminal: 'execute',
    copilot_listCodeUsages: 'read',
  })
})

describe('selection by an agent', () => {
  const tools = planned.map(
    ({ name, aliases, effect }) =>
      defineTool({
        name,
        aliases,
        effect,
        class: effect === 'read' ? 'search' : 'other',
        description: name,
        origin: 'editor',
        input: object({}),
        run: async () => ({ content: '' }),
      }) as Tool,
  )
  const selected = (...names: string[]) => {
    const agent = { name: 'a', description: '', prompt: '', tools: { kind: 'list' as const, names } }
    return tools
      .filter(({ name }) => toolsetOf({ agent, tools, targets: [], completion: 'text' }).find(name)?.allowed)
      .map(({ name }) => name)
  }

  it.each([
    [['acme.tools/deploy'], ['acme_deploy']],
    [['acme.tools/acme_deploy'], ['acme_deploy']],
    [['deploy'], ['acme_deploy']],
    [['acme.tools/*'], ['acme_deploy', 'acme_list']],
    [['github/*'], ['mcp_github_create_issue']],
    [['github/create_issue'], ['mcp_github_create_issue']],
    [['mcp_github_create_issue'], ['mcp_github_create_issue']],
    [['1 strange.name'], ['tool_1_strange_name']],
    [['usages'], ['copilot_listCodeUsages']],
    [['search'], ['copilot_listCodeUsages']],
    [['read', 'execute', 'web', 'edit'], []],
  ])('%j grants %j', (names, expected) => {
    expect(selected(...names)).toEqual(expected)
  })
})
