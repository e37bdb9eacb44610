import type { AgentDefinition } from '@cadre/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { readAgentText } from './read-agent-text.ts'

/** For any damage: the file is read or rejected quickly, and its agent never gets more than the file permitted before. */

const paths = [
  '/p/.claude/agents/a.md',
  '/p/.github/agents/a.agent.md',
  '/p/.github/agents/a.md',
  '/p/.opencode/agent/a.md',
  '/p/.github/chatmodes/a.chatmode.md',
  '/p/a.md',
  '/p/.cadre/templates/a.agent.yaml',
]
const somePath = fc.constantFrom(...paths)

const files = [
  '---\nname: a\ndescription: Does it\ntools: [read]\nmodel: b\n---\n\n# Title\n\nDo it: now.\n',
  '---\nname: a\ndescription: "Does: it"\nmodel: b\ntools:\n  - read\n---\nBody\n',
  "---\ntools: read\nname: 'a'\ndescription: Use it. Examples:\nuser: x\nassistant: y\n---\nBody\n",
  '---\ndescription: >\n  Does it\n\n  well\ntools: ["read"]\nhandoffs:\n  - label: x\n    agent: y\n    prompt: z\n---\nBody\n',
  'name: a\ndescription: d\ntools: [read]\n---\nBody\n',
  '```md\n---\nname: a\ntools: [read]\ndescription: d\n---\nBody\n```\n',
]

const pieces = fc.constantFrom(
  ...[
    '"',
    "'",
    ':',
    ': ',
    '#',
    ' #',
    '-',
    '- ',
    '*',
    '&',
    '!',
    '|',
    '>',
    '%',
    '@',
    '`',
    '[',
    ']',
    '{',
    '}',
    ',',
  ],
  ...[
    '\n',
    '\r',
    '\t',
    '  ',
    ' ',
    '\u00a0',
    '\u200b',
    '\ufeff',
    '“',
    '”',
    '：',
    '\\',
    '\0',
    '=',
    'x',
    '7',
    '<<: ',
    '? ',
  ],
  ...[
    '\n\n',
    '\n  ',
    '\nfoo\n',
    '\nuser: x\n',
    '```\n',
    '~~~\n',
    '<!-- ',
    ' -->\n',
    '# x\n',
    '\n# x\n\n',
    '...\n',
  ],
)

type Damage = (text: string) => string
const at = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
const place = (text: string, where: number) => Math.floor(where * (headerEnd(text) + 1))
/** Damages only the header, because a body can contain anything. */
const headerEnd = (text: string) => Math.max(text.lastIndexOf('\n---\n') + 5, 8)

const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.tuple(at, pieces).map(
    ([where, piece]): Damage =>
      (text) => {
        const here = place(text, where)
        return text.slice(0, here) + piece + text.slice(here)
      },
  ),
  fc.tuple(at, fc.integer({ min: 1, max: 3 })).map(
    ([where, length]): Damage =>
      (text) => {
        const here = place(text, where)
        return text.slice(0, here) + text.slice(here + length)
      },
  ),
  fc.tuple(at, pieces).map(
    ([where, piece]): Damage =>
      (text) => {
        const here = place(text, where)
        return text.slice(0, here) + piece + text.slice(here + 1)
      },
  ),
  fc
    .tuple(at, fc.constantFrom(' ', '  ', '\t', '    '))
    .map(([where, indent]): Damage => onLine(where, (line) => [indent + line])),
  at.map((where): Damage => onLine(where, (line) => [line, line])),
  fc
    .tuple(at, fc.constantFrom('name', 'description', 'model', 'x'))
    .map(([where, key]): Damage => onLine(where, (line) => [`${key}: a: b`, line])),
  fc.constantFrom<Damage>(
    (text) => `\ufeff${text}`,
    (text) => text.replaceAll('\n', '\r\n'),
    (text) => text.replaceAll('\n', '\r'),
    (text) => text.replace(/^---\n/, ''),
    (text) => text.replace(/\n---\n/, '\n'),
    (text) => `\n\n${text}`,
    (text) => `# Title\n\n${text}`,
    (text) => `\`\`\`\`chatagent\n${text}\`\`\`\`\n`,
    (text) => text.replaceAll('"', '”').replaceAll("'", '’'),
    (text) => text.replaceAll(/^/gm, '  '),
    (text) => text.replaceAll(/^/gm, '> '),
  ),
)

const damaged = (max: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...files), fc.array(damage, { minLength: 1, maxLength: max }))
    .map(([file, damages]) => damages.reduce((broken, change) => change(broken), file))

function onLine(where: number, change: (line: string) => string[]): Damage {
  return (text) => {
    const lines = text.split('\n')
    const end = text.slice(0, headerEnd(text)).split('\n').length
    const index = Math.floor(where * Math.min(end, lines.length))
    return lines.flatMap((line, other) => (other === index ? change(line) : [line])).join('\n')
  }
}

/** True if a person would still say that the file names tools. */
function saysTools(text: string): boolean {
  return text.split(/[\r\n]+/).some((line) => /^[^\w#]*tools\W*[:：=]/i.test(line))
}

/** A valid file with another meaning is an edit, not damage. */
function isRight(text: string): boolean {
  const header = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/.exec(text.replaceAll('\r\n', '\n'))?.[1]
  if (header === undefined || header.includes('\r')) return false
  const document = parseDocument(header, { prettyErrors: false })
  return document.errors.length === 0 && document.warnings.length === 0
}

const granted = (agent: AgentDefinition) => (agent.tools.kind === 'all' ? ['*'] : agent.tools.names)

describe('damage', () => {
  it('never gives an agent more tools', () => {
    fc.assert(
      fc.property(damaged(4), fc.constantFrom(...paths.slice(0, 6)), (text, path) => {
        fc.pre(saysTools(text) && !isRight(text))
        const { agent } = readAgentText({ path, text })
        // A damaged name matches nothing.
        if (agent !== undefined) expect(granted(agent)).not.toContain('*')
      }),
      { numRuns: process.env['CADRE_DEEP'] ? 1_500 : 50 },
    )
  })

  it('of a repair gives the same agent, without a rescue', () => {
    fc.assert(
      fc.property(damaged(3), somePath, (text, path) => {
        const { agent, rescued, repaired } = readAgentText({ path, text })
        if (repaired === undefined) return
        expect([rescued, agent === undefined]).toEqual([true, false])
        const again = readAgentText({ path, text: repaired })
        expect(again.rescued).toBeUndefined()
        expect({ ...again.agent, source: undefined }).toEqual({ ...agent, source: undefined })
      }),
      { numRuns: process.env['CADRE_DEEP'] ? 600 : 30 },
    )
  })

  it('of any kind never throws, and every diagnostic names an existing line', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc
        .array(
          fc.oneof(pieces, fc.constantFrom('---\n', 'name: a\n', 'tools: ', 'permission:\n', 'agents: ')),
          {
            maxLength: 60,
          },
        )
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, somePath, (written, path) => {
        const { diagnostics } = readAgentText({ path, text: written })
        const lines = written.split(/\r\n|\r|\n/).length
        for (const { line = 1 } of diagnostics) {
          expect(line).toBeGreaterThanOrEqual(1)
          expect(line).toBeLessThanOrEqual(lines + 1)
        }
      }),
      { numRuns: process.env['CADRE_DEEP'] ? 1_500 : 20 },
    )
  })

  it.each([
    ['brackets', (size: number) => `a: ${'['.repeat(size)}`],
    ['comments', (size: number) => `name: a\n${'# x\n'.repeat(size / 4)}b: c: d`],
    ['blank lines', (size: number) => `name: a\n${'\n'.repeat(size)}b: c: d`],
    ['keys', (size: number) => Array.from({ length: size / 8 }, (_, index) => `k${index}: a: b`).join('\n')],
    ['known keys', (size: number) => 'tools: a: b\n'.repeat(size / 12)],
    ['pseudo-keys', (size: number) => `description: a: b\n${'user: x\n'.repeat(size / 8)}`],
    ['quotes', (size: number) => `description: '${"a'".repeat(size / 2)}`],
    ['underscores', (size: number) => `description: a: b\n${'_'.repeat(size)}`],
    ['stars', (size: number) => `${'*'.repeat(size)}\nname: a`],
    ['parentheses', (size: number) => `tools: ${'a('.repeat(size / 2)}`],
    ['spaces', (size: number) => `tools${' '.repeat(size)}x\nname: a: b`],
    ['HTML comments', (size: number) => `---\n${'<!-- -->\n'.repeat(size / 9)}`],
  ])('with very many %s terminates', (_, header) => {
    for (const whole of [
      (text: string) => `---\n${text}\n---\nBody`,
      (text: string) => text,
      (text: string) => `---\n${text}`,
    ]) {
      const text = whole(header(process.env['CADRE_DEEP'] ? 100_000 : 4_000))
      for (const path of ['/p/.github/agents/a.md', '/p/templates/a.yaml']) readAgentText({ path, text })
    }
  })
})
