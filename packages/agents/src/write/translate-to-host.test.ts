import {
  type AgentDefinition,
  classOf,
  knownTools,
  type NamingHost,
  namesFor,
  spellingsOf,
  type Tool,
  toolsetOf,
} from '@cadre/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAgentText } from '../load/read-agent-text.ts'
import { exportAgents } from './export-agents.ts'
import { serializeAgent } from './serialize-agent.ts'
import { translateToHost } from './translate-to-host.ts'

const hosts: readonly NamingHost[] = ['claude', 'opencode', 'copilot']
const bare: AgentDefinition = { name: 'a', description: 'd', prompt: 'Do it.', tools: { kind: 'all' } }
const builder: AgentDefinition = {
  ...bare,
  name: 'builder',
  tools: { kind: 'list', names: ['read', 'search', 'edit', 'execute', 'reportOut', 'context7/*'] },
  disallowedTools: ['web'],
  models: ['gpt-5', 'sonnet'],
}
const list = (...names: string[]): AgentDefinition => ({ ...bare, tools: { kind: 'list', names } })

describe('the names of a host', () => {
  it.each<[NamingHost, string, readonly string[] | undefined]>([
    ['claude', 'execute', ['Bash']],
    ['claude', 'editFiles', ['Edit']],
    ['claude', 'codebase', ['Grep']],
    ['claude', 'Read', ['Read']],
    ['claude', 'Task', ['Task']],
    ['claude', 'WebSearch', ['WebSearch']],
    ['claude', 'usages', undefined],
    ['claude', 'nonsense', undefined],
    ['claude', 'constructor', undefined],
    ['claude', 'context7/*', ['mcp__context7']],
    ['claude', 'context7/get-docs', ['mcp__context7__get-docs']],
    ['claude', 'microsoft.docs.mcp/*', undefined],
    ['claude', 'mcp__a__b', ['mcp__a__b']],
    ['copilot', 'mcp__a__b', ['a/b']],
    ['copilot', 'read', ['read']],
    ['copilot', 'Bash', ['Bash']],
    ['copilot', 'execute_command', ['Bash', 'execute/runInTerminal']],
    ['opencode', 'Bash', ['bash']],
    ['opencode', 'search', ['grep', 'glob']],
    ['opencode', 'mcp__a__b', undefined],
  ])('of %s for %s', (host, name, expected) => {
    expect(namesFor(host, name)).toEqual(expected)
  })
})

describe('an agent written for another program', () => {
  it('has the tools and the model that Claude Code knows, and reports every change', () => {
    const { text, notes, lost } = serializeAgent(builder, 'claude', { names: 'host' })
    expect(lost).toEqual([])
    expect(text).toContain('\ntools: Read, Grep, Glob, Edit, Write, NotebookEdit, Bash, mcp__context7\n')
    expect(text).toContain('\ndisallowedTools: [WebFetch, WebSearch, web]\n')
    expect(text).toContain('\nmodel: sonnet\n')
    const said = notes.join('\n')
    expect(said).toContain('execute → Bash')
    expect(said).toContain('Claude Code has no name for reportOut')
    expect(said).toContain('Claude Code allows one model per agent. Kept: sonnet. Omitted: gpt-5.')
  })

  it('has the tools that opencode knows, and no unknown model', () => {
    const { text, notes, lost } = serializeAgent(builder, 'opencode', { names: 'host' })
    expect(lost).toEqual([])
    expect(text).toContain(
      "\ntools:\n  '*': false\n  read: true\n  grep: true\n  glob: true\n  edit: true\n  bash: true\n  webfetch: false\n",
    )
    expect(text).not.toMatch(/^models?:/m)
    expect(notes.join('\n')).toContain('opencode does not support model gpt-5, sonnet')
  })

  it('keeps a restriction that Claude Code would not enforce under its old name', () => {
    const careful = { ...bare, disallowedTools: ['write', 'edit', 'slack_send'] }
    const { agent, notes } = translateToHost(careful, 'claude')
    expect(agent.disallowedTools).toEqual(['Write', 'Edit', 'NotebookEdit', 'edit', 'slack_send'])
    expect(notes.join('\n')).toContain('slack_send, so it does not enforce that restriction')
  })

  it('does not get every tool because none of its own has a name', () => {
    const { text, notes } = serializeAgent(list('slack_send'), 'claude', { names: 'host' })
    expect(text).toContain('\ntools: slack_send\n')
    expect(notes.join('\n')).toContain("has none of this agent's tools")
  })

  it('grants no more in Cadre if a name of the host means more there', () => {
    const { text } = serializeAgent(list('Read'), 'opencode', { names: 'host' })
    expect(text).toContain("\n  '*': false\n  read: true\n")
    for (const tool of ['read_skill', 'view_image', 'list_directory'])
      expect(text).toContain(`\n  ${tool}: false\n`)
  })

  it('can still delegate if only one of the two delegation tools is denied', () => {
    const lead = { ...list('agent', 'delegateWork'), disallowedTools: ['delegate_task'] }
    const { agent } = translateToHost(lead, 'claude')
    expect(agent.tools).toEqual({ kind: 'list', names: ['Agent', 'delegateWork'] })
    expect(agent.disallowedTools).toEqual(['delegate_task'])
    const planner = translateToHost(list('delegateWork'), 'claude').agent
    expect([planner.tools, planner.disallowedTools]).toEqual([agent.tools, ['delegate_task']])
    const worker = translateToHost({ ...list('Read'), disallowedTools: ['delegate_task'] }, 'claude').agent
    expect(worker.disallowedTools).toEqual(['Agent'])
  })

  it('translates rules, and denies everything that was denied', () => {
    const permissions = [
      { tool: 'execute', pattern: '*', action: 'deny' },
      { tool: 'execute_command', pattern: 'git *', action: 'allow' },
    ] as const
    expect(translateToHost({ ...bare, permissions }, 'claude').agent.permissions).toEqual([
      { tool: 'Bash', pattern: '*', action: 'deny' },
      { tool: 'execute', pattern: '*', action: 'deny' },
      { tool: 'Bash', pattern: 'git *', action: 'allow' },
    ])
    const write = [{ tool: 'Write', pattern: '*', action: 'deny' }] as const
    expect(
      translateToHost({ ...bare, permissions: write }, 'opencode').agent.permissions?.map(({ tool }) => tool),
    ).toEqual(['write', 'edit'])
  })

  it('keeps its names if it was written for that program, or on request', () => {
    const tools = (agent: AgentDefinition, to: 'claude' | 'copilot', names?: 'keep' | 'host') => {
      const [file] = exportAgents({ agents: [agent], to, ...(names && { names }) }).files
      return /^tools: .*$/m.exec(file?.text ?? '')?.[0]
    }
    const copilot = { ...list('read'), source: { path: '/a.agent.md', dialect: 'copilot' } }
    expect(tools(copilot, 'claude')).toBe('tools: Read')
    expect(tools(copilot, 'claude', 'keep')).toBe('tools: read')
    expect(tools(copilot, 'copilot')).toBe('tools: [read]')
    expect(tools({ ...copilot, source: { path: '/a.md', dialect: 'claude' } }, 'claude')).toBe('tools: read')
  })
})

const ownNames = knownTools().filter((tool) => classOf(tool) !== undefined)
const fake = (tool: string): Tool => ({
  name: tool,
  description: tool,
  class: classOf(tool) ?? 'web',
  effect: 'read',
  aliases: spellingsOf(tool),
  input: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
  parameters: {},
  run: async () => ({ content: '' }),
})
const ofLoop = ['delegateWork', 'delegate_task', 'reportOut']
const tools = [...ownNames.filter((tool) => !ofLoop.includes(tool)), 'mcp__context7__get'].map(fake)
const name = fc.constantFrom(...knownTools(), 'mcp__context7__get', 'context7/*', 'nonsense')
const names = fc.uniqueArray(name, { maxLength: 6 })

describe.each(hosts)('in Cadre, an agent with the names of %s', (host) => {
  const reachable = (agent: AgentDefinition) => {
    const toolset = toolsetOf({ agent, tools, targets: ['b'], completion: 'text' })
    const all = [...tools.map((tool) => tool.name), ...ofLoop]
    return new Set(all.filter((tool) => toolset.find(tool)?.allowed === true))
  }
  it('may do no more than before, even when read from the file', () => {
    fc.assert(
      fc.property(names, names, fc.boolean(), (given, disallowedTools, isAll) => {
        const agent: AgentDefinition = {
          ...bare,
          tools: isAll ? { kind: 'all' } : { kind: 'list', names: given },
          ...(disallowedTools.length > 0 && { disallowedTools }),
        }
        const before = reachable(agent)
        const { path, text, lost } = serializeAgent(agent, host, { names: 'host' })
        expect(lost).toEqual([])
        const read = readAgentText({ path, text }).agent
        if (read === undefined) throw new Error(text)
        expect([...reachable(read)].filter((tool) => !before.has(tool))).toEqual([])
      }),
      { numRuns: process.env['CADRE_DEEP'] ? 300 : 60 },
    )
  })

  it('has only known names, or none', () => {
    for (const tool of knownTools()) {
      const after = namesFor(host, tool)
      for (const one of after ?? []) expect(namesFor(host, one)).toEqual([one])
    }
  })
})
