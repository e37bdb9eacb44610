import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readAnyYaml } from './located.ts'
import { readSimpleYaml } from './simple-yaml.ts'

/** A result must equal that of the complete parser, including lines. */
function expectSame(text: string): boolean {
  const simple = readSimpleYaml(text, 2)
  if (simple === undefined) return false
  expect(readAnyYaml({ text, path: '', firstLine: 2 })).toEqual({ kind: 'read', root: simple })
  return true
}

const keys = fc.constantFrom(
  'name',
  'description',
  'tools',
  'max-turns',
  '_x',
  'null',
  'true',
  '__proto__',
  'a1',
)
const words = fc.constantFrom(
  ...[
    'Read',
    'read',
    'search/codebase',
    'mcp__x__*',
    'Bash(git *)',
    'Microsoft Docs',
    'a - b',
    'null',
    'True',
    'NULL',
  ],
  ...[
    '"a, b"',
    "'it'",
    '"\\n"',
    "'it''s'",
    '"a',
    "a'",
    '7',
    '0.5',
    '007',
    '1e3',
    '0x1F',
    '.5',
    '-1',
    '+1',
    '1_000',
    'no',
  ],
  ...[
    '~',
    'é',
    '日本語',
    '«x»',
    '\u00a0x',
    'a\u00a0',
    'a: b',
    'a:b',
    'a:',
    ':a',
    'a #b',
    'a# b',
    '#a',
    'a, b',
    '[a]',
    '{a}',
  ],
  ...[
    '*',
    '&a',
    '!a',
    '|',
    '>',
    '%',
    '@a',
    '`a`',
    '- a',
    '? a',
    '---',
    '...',
    'a  b',
    'a\\b',
    '"a" b',
    "'a' b",
    '',
    ' ',
  ],
  ...[
    '2026-01-01',
    'true',
    'false',
    'x'.repeat(200),
    'a\tb',
    '\ta',
    '“a”',
    'a]',
    'a}',
    '<<',
    '=',
    '.inf',
    '.nan',
    'a,',
  ],
)
const values = fc.oneof(
  words,
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.array(words, { maxLength: 4 }).map((items) => `[${items.join(', ')}]`),
  fc.array(words, { maxLength: 3 }).map((items) => `[${items.join(',')} ]`),
  fc
    .tuple(fc.constantFrom('', ' ', '  ', '    '), fc.array(words, { maxLength: 4 }))
    .map(([indent, items]) => items.map((item) => `\n${indent}- ${item}`).join('')),
)
const lines = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(keys, fc.constantFrom(': ', ':', ':  ', ' : '), values)
      .map((parts) => parts.join('')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '# c',
      '  # c',
      '---',
      '...',
      '  more',
      '- a',
      'text',
      '\t',
      ']',
      '%x',
    ),
  },
)

describe('simple YAML', () => {
  it('is read as the complete parser reads it', () => {
    let answers = 0
    const numRuns = process.env['CADRE_DEEP'] ? 4_000 : 1_500
    fc.assert(
      fc.property(fc.array(lines, { minLength: 1, maxLength: 4 }), (parts) => {
        if (expectSame(parts.join('\n'))) answers++
      }),
      { numRuns },
    )
    expect(answers).toBeGreaterThan(numRuns / 40)
  })

  it.each([
    'name: a\ndescription: Does it, "well" — isn\'t it?\ntools: Read, Grep\nmodel: sonnet',
    '# c\n\nname: \'a\'\ndescription: "Does: it # so"   \ntools: [\'read\', "search/*", edit ]\n',
    'tools:\n  - read\n  - "edit"\n\nagents: []\nnothing:\nuser-invocable: false\ntemperature: 0.1\nmaxTurns: 30',
    'description: 慣用的なGo、並行処理',
  ])('is what most people write: %j', (text) => {
    expect(expectSame(text)).toBe(true)
  })

  it.each([
    ['nothing', ''],
    ['a colon', 'a: b: c'],
    ['a comment', 'a: b # c'],
    ['a text that goes on', 'a: b\n  c'],
    ['a mapping', 'a:\n  b: c'],
    ['a block', 'a: |\n  b'],
    ['a key twice', 'a: b\na: c'],
    ['escapes', 'a: "\\n"'],
    ['an alias', 'a: *b'],
    ['Windows', 'a: b\r\nc: d'],
    ['a bomb', `a: ${'x'.repeat(70_000)}`],
  ])('leaves %s to the complete parser', (_, text) => {
    expect(readSimpleYaml(text, 1)).toBeUndefined()
  })
})
