import { expect, onTestFinished, test, vi } from 'vitest'
import { readYaml } from './located.ts'
import { yamlParser } from './yaml-parser.ts'

const many = 50_000

test.each([
  ['[', '['.repeat(2 * many)],
  ['[ ]', '['.repeat(many) + ']'.repeat(many)],
  ['{ }', `${'{a: '.repeat(many)}${'}'.repeat(many)}`],
  ['- -', `${'- '.repeat(many)}a`],
  ['? ?', `${'? '.repeat(many)}a`],
  ['- &a - &b', `${'- &a '.repeat(many)}b`],
  ['a: b:', `${'a: '.repeat(many)}b`],
  ['a deep mapping', Array.from({ length: 650 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
])('text that is nested without end is an error with its file: %s', (_, text) => {
  const read = readYaml({ text, path: 'config.yaml' })
  expect(read.kind === 'broken' && read.diagnostics[0]).toMatchObject({ path: 'config.yaml', line: 1 })
})

test('does not count adjacent brackets as nesting', () => {
  const text = `a:\n${'  - [{b: c}, {d: [e]}]\n'.repeat(1000)}`
  expect(readYaml({ text, path: 'config.yaml' }).kind).toBe('read')
})

test.each(['[', '{', '- ', '? ', '[a, ', '{a: '])('refuses thousands of %j before it parses them', (open) => {
  const text = `description: ${open.startsWith('[') || open.startsWith('{') ? '' : '\n  '}${open.repeat(20_000)}`
  const parse = vi.spyOn(yamlParser().Parser.prototype, 'parse')
  onTestFinished(() => parse.mockRestore())
  expect(readYaml({ text, path: 'x' })).toMatchObject({
    kind: 'broken',
    diagnostics: [{ code: 'yaml-too-large' }],
  })
  expect(parse).not.toHaveBeenCalled()
})
