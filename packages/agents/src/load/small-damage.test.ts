import { describe, expect, it } from 'vitest'
import { readAgentText } from './read-agent-text.ts'

/** One typo in a restricting key: the agent then gets nothing or is unusable, and never gets everything. */

const claude = '/p/.claude/agents/a.md'
const opencode = '/p/.opencode/agent/a.md'
const template = '/p/.cadre/templates/a.agent.yaml'

function toolsOf(path: string, text: string): string {
  const { agent, diagnostics } = readAgentText({ path, text })
  if (agent === undefined) return 'failed'
  if (agent.tools.kind === 'all') return 'all'
  if (agent.tools.names.length > 0) return agent.tools.names.join(' ')
  return diagnostics.some(({ severity }) => severity === 'warning') ? 'none' : 'none, and nobody is told'
}

const inHeader = (lines: string) => `---\nname: a\ndescription: d\n${lines}\n---\nBody\n`

describe('templates', () => {
  it.each([
    ['indented', 'id: a\nsystem_prompt: hi\n  capabilities: [read]\n'],
    ['behind a tab', 'id: a\nsystem_prompt: hi\n\tcapabilities: [read]\n'],
    ['misspelt', 'id: a\nsystem_prompt: hi\ncapabilites: [read]\n'],
    ['other quotes', 'id: a\nsystem_prompt: hi\n“capabilities”: [read]\n'],
    [
      'capital',
      'apiVersion: v1\nkind: Agent\nmetadata:\n  id: a\nSpec:\n  system_prompt: hi\n  capabilities: [read]\n',
    ],
  ])('%s', (_, text) => {
    expect(toolsOf(template, text)).toMatch(/^(?:read|none|failed)$/)
  })

  it('upper case in the wrapped format', () => {
    const text =
      'apiVersion: v1\nkind: Agent\nMetadata:\n  id: a\nSpec:\n  system_prompt: hi\n  capabilities: [read]\n'
    expect(readAgentText({ path: template, text }).agent).toMatchObject({
      prompt: 'hi',
      tools: { kind: 'list', names: ['read'] },
    })
  })
})

describe('merge keys (<<) are not read within a restriction', () => {
  it.each([
    ['base: &b {bash: deny}\npermission:\n  <<: *b\n  read: allow'],
    ['base: &b {"*": deny}\npermission:\n  bash:\n    <<: *b\n    git status: allow'],
    ['base: &b {bash: false}\ntools:\n  <<: *b\n  read: false'],
  ])('%j', (lines) => {
    expect(toolsOf(opencode, inHeader(lines))).toBe('none')
  })
})

describe('a file that ends within its header', () => {
  it.each([['---\nname: x\ndescription: d'], ['---\nname: x\ndescription: d\n'], ['---\nname: x\n']])(
    '%j',
    (text) => {
      expect(toolsOf(claude, text)).toBe('none')
    },
  )

  it('keeps what it said about tools before', () => {
    expect(toolsOf(claude, '---\nname: x\ntools: Read\ndescription: d')).toBe('Read')
  })
})

describe('one typo in the key', () => {
  it.each([
    ['[tools: Read'],
    ['- tools: Read'],
    ['|tools: Read'],
    ['> tools: Read'],
    ['tools\n  - Read'],
    ['tools Read'],
    ['tools﹕ Read'],
    ['tооls: Read'],
    ['ｔｏｏｌｓ: Read'],
    ['τools: Read'],
    ['tooools: Read'],
    ['\u000btools: Read'],
    ['\ftools: Read'],
    ['\u0085tools: Read'],
    ['\u2028tools: Read'],
    ['foo:\n  tools: [read]'],
  ])('%j', (lines) => {
    for (const path of [claude, opencode])
      for (const text of [inHeader(lines), `---\nname: a\n${lines}\ndescription: d\n---\nBody\n`])
        expect(toolsOf(path, text), text).toMatch(/^(?:Read|none|failed)$/)
  })

  it.each([
    ['dashes before it, and a line', '---\n\ntools: [read]\n---\nBody\n'],
    ['dashes twice, and a blank line', '---\n---\n\ntools: [read]\n---\nBody\n'],
    ['dashes twice, and a comment', '---\n---\n# note\ntools: [read]\n---\nBody\n'],
    ['stray dashes', '---\nname: a\ndescription: d\n---\ntools: [read]\n---\nBody\n'],
    ['stray dashes and a comment', '---\nname: a\ndescription: d\n---\n# note\ntools: [read]\n---\nBody\n'],
    ['block of text', '---\nname: a\ndescription: >\n  Reviews\n  tools: [read]\n---\nBody\n'],
    ['zeros', '---\nname: a\0\ntools: [read]\n---\nBody\n'],
    [
      'zeros between the letters',
      [...'---\nname: a\ntools: [read]\n---\nBody\n'].map((sign) => `${sign}\0`).join(''),
    ],
    ['TOML', '+++\nname = "a"\ntools = ["read"]\n+++\nBody\n'],
    ['JSON', '{"name": "a", "tools": ["read"]}\n\nBody\n'],
    ['JSON in lines', '{\n  "description": "a"\n}\n\nBody\n'],
    ['JSON in dashes', '---\n{"name": "a", "Tools ": ["read"]}\n---\nBody\n'],
  ])('%s', (_, text) => {
    for (const path of [claude, opencode]) expect(toolsOf(path, text)).toMatch(/^(?:read|none|failed)$/)
  })
})

describe('no typo', () => {
  it.each([
    ['description: >\n  Knows its tools: hammers.\n  Reviews'],
    ['description: |\n  Reviews.\n  Context: x\n  user: "tools"'],
    ['description: Audits\ncolor: red'],
  ])('%j', (lines) => {
    const { agent } = readAgentText({ path: claude, text: `---\nname: a\n${lines}\n---\nBody\n` })
    expect(agent?.tools).toEqual({ kind: 'all' })
  })
})

describe('names', () => {
  it.each([['plan\u200bner'], ['plan\u2060ner'], ['a\u061cb'], ['a\u00adb']])('%j', (name) => {
    const { agent, diagnostics } = readAgentText({
      path: claude,
      text: `---\nname: ${name}\ndescription: d\n---\nBody\n`,
    })
    expect(agent?.name).toBe('a')
    expect(diagnostics.map(({ code }) => code)).toContain('name-unusable')
  })
})

it('a key at the margin never becomes part of the value above it', () => {
  const text = inHeader('description: Audits: code\nenv:\n  API_KEY: x\nwebhook: x\ntools: Read').replace(
    'description: d\n',
    '',
  )
  const { repaired } = readAgentText({ path: claude, text })
  expect(repaired).toBeUndefined()
  const prose =
    '---\nname: a\ndescription: Use it. Examples: x\nuser: hi\nassistant: yes\ntools: Read\n---\nBody\n'
  expect(readAgentText({ path: claude, text: prose }).repaired).toBeDefined()
})

// Takes seconds.
it.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])(
  'many comments before the header, and many nested keys, hide nothing',
  () => {
    const comments = `${'<!-- a -->\n'.repeat(90_000)}---\nname: a\ntools: [read]\n---\nBody\n`
    const nested = Array.from({ length: 9_000 }, (_, index) => `  k${index}: v`).join('\n')
    const lines = Array.from({ length: 9_000 }, (_, index) => `  a${index}:b`).join('\n')
    const only = { kind: 'list', names: ['read'] }
    expect(readAgentText({ path: claude, text: comments }).agent?.tools).toEqual(only)
    const long = inHeader(`x:\n${nested}\ny: |\n${lines}\ntools: [read]`)
    expect(readAgentText({ path: claude, text: long }).agent?.tools).toEqual(only)
  },
)

it('an empty key names no tool', () => {
  const text = '---\ndescription: d\ntools:\n  : true\n  edit: true\n---\nBody\n'
  const { agent, diagnostics } = readAgentText({ path: '/p/.opencode/agent/a.md', text })
  expect(agent?.tools).toEqual({ kind: 'list', names: [] })
  expect(diagnostics.map(({ code }) => code)).toContain('tools-unclear')
})
