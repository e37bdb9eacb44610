import { describe, expect, it } from 'vitest'
import { insertItem, removeAt, setKey } from './json-splice.ts'

describe('splicing JSON with comments', () => {
  it.each<[string, string, number, string]>([
    ['an empty list', '{"a": []}', 0, '{"a": [\n  9\n]}'],
    ['a list with only a comment', '{"a": [ // none\n]}', 0, '{"a": [ // none\n  9\n]}'],
    ['one line', '{"a": [1, 2]}', 1, '{"a": [1,\n  9, 2]}'],
    ['the end', '{\n  "a": [\n    1 // one\n  ]\n}', 1, '{\n  "a": [\n    1, // one\n    9\n  ]\n}'],
    ['a last comma', '{\n  "a": [\n    1, // one\n  ]\n}', 1, '{\n  "a": [\n    1, // one\n    9,\n  ]\n}'],
    ['the front', '{\n\t"a": [\n\t\t1\n\t]\n}', 0, '{\n\t"a": [\n\t\t9,\n\t\t1\n\t]\n}'],
    ['CRLF', '{\r\n  "a": [\r\n    1\r\n  ]\r\n}', 1, '{\r\n  "a": [\r\n    1,\r\n    9\r\n  ]\r\n}'],
    ['a comma in a comment', '{"a": [1 /* , */]}', 1, '{"a": [1,\n  9 /* , */]}'],
  ])('inserts into %s', (_, text, index, expected) => {
    expect(insertItem(text, ['a'], index, 9)).toBe(expected)
  })

  it.each<[string, string, (string | number)[], string]>([
    ['a line', '{\n  "a": 1, // a\n  "b": 2\n}', ['a'], '{\n  "b": 2\n}'],
    ['the last line', '{\n  "a": 1, // a\n  "b": 2\n}', ['b'], '{\n  "a": 1 // a\n}'],
    ['the last of a line', '{"a": [1, 2]}', ['a', 1], '{"a": [1 ]}'],
    ['the first of a line', '{"a": [1, 2]}', ['a', 0], '{"a": [ 2]}'],
    ['the only one', '{"a": 1}', ['a'], '{}'],
    ['one before a last comma', '{\n  "a": 1,\n  "b": {\n  },\n}', ['b'], '{\n  "a": 1,\n}'],
  ])('removes %s', (_, text, path, expected) => {
    expect(removeAt(text, path)).toBe(expected)
  })

  it.each<[string, string, string]>([
    ['replaces a value', '{"x":  1, /* y */ "z": 2}', '{"x":  "n", /* y */ "z": 2}'],
    ['adds a key', '{\n  // mine\n  "y": 1\n}', '{\n  // mine\n  "y": 1,\n  "x": "n"\n}'],
    ['adds the first key', '{}\n', '{\n  "x": "n"\n}\n'],
  ])('%s', (_, text, expected) => {
    expect(setKey(text, ['x'], 'n')).toBe(expected)
  })
})
