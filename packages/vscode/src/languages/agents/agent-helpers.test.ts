import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { isAgentPath } from './agent-path.ts'
import { changedPart } from './changed-part.ts'
import { aboutTool, dialectTools } from './dialect-tools.ts'
import { editorToolsIn } from './editor-tools-in.ts'
import { positionInHeader } from './header-position.ts'
import { rangeOfFinding } from './range-of-finding.ts'
import { type Names, quoteYaml, suggestValues } from './suggest.ts'

describe('isAgentPath', () => {
  test.each([
    ['/w/.github/agents/a.md', true],
    ['/w/.github/agents/README.md', false],
    ['/w/any/where/a.agent.md', true],
    ['C:\\w\\.claude\\agents\\a.md', true],
    ['/w/.opencode/agent/deep/a.md', true],
    ['/w/.cadre/templates/a.yaml', true],
    ['/w/.cadre/agents/lead.agent.md', false],
    ['/w/charts/templates/a.yaml', false],
    ['/w/README.md', false],
  ])('%s: %s', (file, expected) => {
    expect(isAgentPath(file)).toBe(expected)
  })
})

describe('changedPart', () => {
  it('is the part that must be replaced', () => {
    expect(changedPart('a: 1\nuser-invokable: x\n', 'a: 1\nuser-invocable: x\n')).toEqual({
      start: 14,
      end: 15,
      text: 'c',
    })
  })

  it('turns one text into another', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string())
    fc.assert(
      fc.property(text, text, text, (around, before, after) => {
        const [a, b] = [`${around}${before}${around}`, `${around}${after}${around}`]
        const { start, end, text: by } = changedPart(a, b)
        expect(a.slice(0, start) + by + a.slice(end)).toBe(b)
      }),
    )
  })
})

describe('rangeOfFinding', () => {
  it('is the name that a finding is about', () => {
    const line = "tools: [read, 'reed', rea]"
    const { start, end } = rangeOfFinding(line, 'There is no tool called "rea".')
    expect(line.slice(start, end)).toBe('rea')
    expect(start).toBe(22)
  })

  it('is the line otherwise', () => {
    expect(rangeOfFinding('  name: a  ', 'It has no "description".')).toEqual({ start: 2, end: 9 })
  })
})

describe('suggest', () => {
  const names: Names = {
    agents: [{ name: 'builder', description: 'Builds' }, { name: 'reviewer' }],
    tools: dialectTools('copilot'),
    models: ['GPT-5 (copilot)', 'odd: one'],
  }
  const labels = (header: string, isBeside = false) => {
    const lines = ['---', ...header.split('\n'), '---']
    const line = lines.length - 2
    const spot = positionInHeader({ lines, line, character: lines[line]?.length ?? 0, isYaml: false })
    return spot === undefined
      ? []
      : suggestValues({ spot, dialect: 'copilot', names, isBeside }).map(({ label }) => label)
  }

  it('offers keys that are not present yet', () => {
    const keys = labels('name: a\n')
    expect(keys).toContain('tools')
    expect(keys).not.toContain('name')
    expect(keys).not.toContain('permission')
  })

  it('adds what VS Code’s own completion does not offer', () => {
    expect(labels('name: a\n', true)).toEqual([
      'use-for',
      'disallowed-tools',
      'max-turns',
      'required-sections',
    ])
    expect(labels('tools: [', true)).toContain('read_file')
    expect(labels('tools: [', true)).not.toContain('read')
    expect(labels('agents: [', true)).toEqual([])
    expect(labels('handoffs:\n  - agent: ', true)).toEqual(['builder', 'reviewer'])
    expect(labels('model: ', true)).toEqual([])
  })

  it('offers agents, tools and models where they are named', () => {
    expect(labels('agents: [builder, ')).toEqual(['reviewer'])
    expect(labels('handoffs:\n  - agent: ')).toEqual(['builder', 'reviewer'])
    expect(labels('tools: [')).toEqual(
      expect.arrayContaining(['read', 'execute', 'delegateWork', 'read_file']),
    )
    expect(labels('model: ')).toEqual(['GPT-5 (copilot)', 'odd: one'])
    expect(labels('user-invocable: ')).toEqual(['true', 'false'])
    expect(labels('description: ')).toEqual([])
  })

  it('quotes what YAML would read as something else', () => {
    expect(quoteYaml('GPT-5 (copilot)')).toBe('GPT-5 (copilot)')
    expect(quoteYaml('odd: one')).toBe('"odd: one"')
    expect(quoteYaml('no')).toBe('"no"')
    expect(quoteYaml('*')).toBe('"*"')
  })
})

describe('tools', () => {
  it('have the spelling of the dialect', () => {
    expect(dialectTools('claude').map(({ name }) => name)).toEqual(expect.arrayContaining(['Read', 'Bash']))
    expect(dialectTools('opencode').map(({ name }) => name)).toContain('bash')
  })

  it('of other extensions include the extension name', () => {
    const tools = [{ name: 'probe_echo', toolReferenceName: 'probeEcho' }, { name: 'gone' }, null]
    expect(editorToolsIn([{ id: 'a.probe', tools }], new Set(['probe_echo']))).toEqual(['a.probe/probeEcho'])
  })

  it('are described by what they do', () => {
    expect(aboutTool('Bash')).toBe("Cadre's tool `execute_command` (runs commands).")
    expect(aboutTool('read')).toBe('All read-only tools.')
    expect(aboutTool('a`b')).toBe('There is no tool named `a b`, so this name grants nothing.')
  })
})
