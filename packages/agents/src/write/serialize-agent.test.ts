import type { AgentDefinition } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { readAgentText } from '../load/read-agent-text.ts'
import type { FileDialect } from './dialect-facts.ts'
import { serializeAgent } from './serialize-agent.ts'

const reviewer: AgentDefinition = {
  name: 'reviewer',
  description: 'Reviews changes: all of them',
  useFor: 'After every change',
  prompt: 'You are a reviewer.\n\n---\n\n```yaml\ntools: []\n```',
  tools: { kind: 'list', names: ['Read', 'Bash', 'Agent'] },
  disallowedTools: ['Write'],
  permissions: [
    { tool: 'Bash', pattern: '*', action: 'deny' },
    { tool: 'Bash', pattern: 'git *', action: 'allow' },
    { tool: 'Bash', pattern: 'npm test', action: 'allow' },
  ],
  delegates: { kind: 'list', names: ['tester', 'C# Expert'] },
  models: ['gpt-5', 'gpt-4.1'],
  limits: { maxTurns: 7, timeoutSeconds: 90, budget: { tokens: 1000, cost: 0.5 } },
  requiredSections: ['Verdict', 'Evidence: yes'],
  isolation: 'workspace',
  modelInvocable: false,
  unknown: { color: 'red', capabilities: ['one'] },
}

function written(dialect: FileDialect): string {
  const { text, lost } = serializeAgent(reviewer, dialect)
  expect(lost).toEqual([])
  return text
}

const body = 'You are a reviewer.\n\n---\n\n```yaml\ntools: []\n```\n'

describe('writing an agent', () => {
  it('as GitHub Copilot reads it', () => {
    expect(written('copilot')).toBe(`---
name: reviewer
description: 'Reviews changes: all of them'
use-for: After every change
tools: [Read, Bash, Agent]
disallowed-tools: [Write]
permissions:
  - tool: Bash
    pattern: '*'
    action: deny
  - tool: Bash
    pattern: git *
    action: allow
  - tool: Bash
    pattern: npm test
    action: allow
agents: [tester, 'C# Expert']
model: [gpt-5, gpt-4.1]
max-turns: 7
timeout: 90
budget:
  tokens: 1000
  cost: 0.5
required-sections: [Verdict, 'Evidence: yes']
isolation: workspace
disable-model-invocation: true
color: red
capabilities: [one]
---

${body}`)
  })

  it('as Claude Code reads it: limits of tools and targets are in the tools', () => {
    const text = written('claude')
    expect(text).toContain("\ntools: 'Read, Bash(git *), Bash(npm test), Agent(tester, C# Expert)'\n")
    expect(text).toContain('\ndisallowedTools: [Write]\n')
    expect(text).not.toMatch(/^(permissions|agents):/m)
    expect(text).toContain('\nmaxTurns: 7\n')
    expect(text).toContain('\nmodels: [gpt-5, gpt-4.1]\n')
    expect(text).toContain('\nisolation: worktree\n')
  })

  it('as opencode reads it: tools and permissions are mappings', () => {
    const text = written('opencode')
    expect(text).toContain(`
tools:
  '*': false
  Read: true
  Bash: true
  Agent: true
  Write: false
permission:
  Bash:
    '*': deny
    'git *': allow
    'npm test': allow
agents: [tester, 'C# Expert']
models: [gpt-5, gpt-4.1]
steps: 7
`)
    expect(text).toContain('\nmode: primary\n')
  })

  it('as a template: keys with another meaning there are stored separately', () => {
    const text = written('template')
    expect(text.startsWith('id: reviewer\n')).toBe(true)
    expect(text).toContain('\ncapabilities: [Read, Bash, Agent]\n')
    expect(text).toContain('\nmax_turns: 7\n')
    expect(text).toContain('\nother_keys:\n  capabilities: [one]\n')
    expect(text.endsWith(`system_prompt: |\n${body.replace(/^(?=.)/gm, '  ')}`)).toBe(true)
  })

  it.each(['copilot', 'claude', 'opencode', 'template'] as const)(
    'reports what the host of %s ignores',
    (dialect) => {
      const notes = serializeAgent(reviewer, dialect).notes.join('\n')
      expect(notes).toMatch(/ignores these Cadre keys: .*use.?for/i)
      expect(notes).toMatch(/does not enforce .*budget/)
      if (dialect === 'copilot') expect(notes).toContain('does not load such an agent')
    },
  )

  it('keeps the name, whatever the file name', () => {
    for (const name of [
      'SE: DevOps/CI',
      '../../etc/passwd',
      'con',
      '...',
      'a'.repeat(200),
      '日本語',
      'C# Expert',
    ]) {
      const { path, text } = serializeAgent({ ...reviewer, name }, 'copilot')
      expect(path).toMatch(/^\.github\/agents\/[^/\\:*?"<>|]+\.agent\.md$/)
      expect(path).not.toMatch(/\/(con|\.+)\./)
      expect(readAgentText({ path, text }).agent?.name).toBe(name)
    }
  })

  it('reports what a dialect cannot express instead of losing it', () => {
    const odd = { ...reviewer, tools: { kind: 'list', names: ['a,b'] } as const }
    expect(serializeAgent(odd, 'copilot').lost).toEqual(['tools'])
  })
})
