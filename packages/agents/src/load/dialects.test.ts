import { describe, expect, it } from 'vitest'
import { readAgentText } from './read-agent-text.ts'

const text = '---\nname: a\ndescription: d\n---\nx'

describe('the dialect of a file', () => {
  it.each([
    ['/p/.github/agents/a.agent.md', 'copilot'],
    ['/p/.github/agents/deep/a.md', 'copilot'],
    ['.github/agents/a.md', 'copilot'],
    ['/home/me/.copilot/agents/a.md', 'copilot'],
    ['/p/agents/a.agent.md', 'copilot'],
    ['/p/.claude/agents/a.md', 'claude'],
    ['/p/.claude/agents/deep/a.agent.md', 'claude'],
    ['C:\\p\\.claude\\agents\\a.md', 'claude'],
    ['/p/agents/a.md', 'claude'],
    ['/p/plugin/agents/deep/a.md', 'claude'],
    ['/p/.opencode/agent/a.md', 'opencode'],
    ['/p/.opencode/agents/a.md', 'opencode'],
    ['/home/me/.config/opencode/agent/a.md', 'opencode'],
    ['/p/.github/chatmodes/a.chatmode.md', 'chatmode'],
    ['/p/chatmodes/a.chatmode.md', 'chatmode'],
    ['/p/.cadre/templates/a.agent.yaml', 'template'],
    ['/p/agents/templates/a.yml', 'template'],
    ['/p/a.yaml', 'template'],
    ['/p/.vscode/settings.json', 'settings'],
    ['/p/a.md', 'claude'],
  ])('%s: %s', (path, dialect) => {
    expect(readAgentText({ path, text }).dialect).toBe(dialect)
  })

  it.each([
    ['mode: subagent', 'opencode'],
    ['permission:\n  edit: deny', 'opencode'],
    ['argument-hint: x', 'copilot'],
    ['handoffs: []', 'copilot'],
    ['tools: Read, Grep', 'claude'],
  ])('elsewhere by its keys: %j is %s', (keys, dialect) => {
    const result = readAgentText({ path: '/p/notes/a.md', text: `---\nname: a\n${keys}\n---\nx` })
    expect([result.dialect, result.agent?.source?.dialect]).toEqual([dialect, dialect])
  })
})
