import { expect, it } from 'vitest'
import { removeSetting } from './remove-setting.ts'

const remove = (text: string, ...keys: string[]) => removeSetting(text, { path: 'c.yaml', keys })

it.each([
  ['a: 1\nb: 2\n', ['a'], 'b: 2\n'],
  ['# top\na:\n  b: 1 # one\n  c: 2\n# end\n', ['a', 'b'], '# top\na:\n  c: 2\n# end\n'],
  ['x: 1\na:\n  b:\n    c: { d: 1 }\ny: 2\n', ['a', 'b', 'c'], 'x: 1\ny: 2\n'],
  ['a:\n  b:\n    c:\n      d: 1\n      e: 2\n    f: 3\n', ['a', 'b', 'c'], 'a:\n  b:\n    f: 3\n'],
  ['a: 1', ['a'], ''],
])('removes a key and keeps every other line: %j', (text, keys, expected) => {
  expect(remove(text, ...keys)).toEqual({ kind: 'changed', text: expected })
})

it('changes nothing if the key is missing, and refuses what it cannot do', () => {
  expect(remove('a: 1\n', 'b')).toEqual({ kind: 'same' })
  expect(remove('', 'b')).toEqual({ kind: 'same' })
  expect(remove('a: { b: 1, c: 2 }\n', 'a', 'b')).toMatchObject({ kind: 'refused' })
  expect(remove('a: [', 'a')).toMatchObject({ kind: 'refused' })
})
