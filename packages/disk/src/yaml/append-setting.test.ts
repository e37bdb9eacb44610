import { expect, test } from 'vitest'
import { appendSetting } from './append-setting.ts'

const add = (text: string, key = 'npm test') => appendSetting(text, { path: 'a.yaml', key, value: true })

test.each([
  ['', 'npm test: true\n'],
  ['# mine\n', '# mine\nnpm test: true\n'],
  ['git status: true\n', 'git status: true\nnpm test: true\n'],
  ['git status: true # no end', 'git status: true # no end\nnpm test: true\n'],
  [
    "'docker ps*': false\r\n/x/i: {approve: true}\r\n",
    "'docker ps*': false\r\n/x/i: {approve: true}\r\nnpm test: true\n",
  ],
])('%j gets one more line at its end', (before, after) => {
  expect(add(before)).toEqual({ kind: 'appended', line: 'npm test: true', text: after })
})

test('a key that could be read as something else is quoted', () => {
  expect(add('', '@scope/x run: y')).toMatchObject({ line: '"@scope/x run: y": true' })
  expect(add('', 'true')).toMatchObject({ kind: 'appended' })
})

test('keeps an existing value', () => {
  expect(add('npm test: true\n')).toEqual({ kind: 'there' })
  expect(add('a: 1\nnpm test: false\n')).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('a.yaml:2: npm test is already set to false'),
  })
})

test.each([
  ['{git status: true}\n'],
  ['- a\n'],
  ['a: [\n'],
  ['a: |\n  text\n ---\n'],
  ['a: true\n...\nb'],
  ['text'],
])('%j is refused, with what to do', (before) => {
  expect(add(before)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('a.yaml') })
})
