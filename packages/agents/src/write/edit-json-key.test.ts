import { expect, test } from 'vitest'
import { readJson } from '../settings/read-json.ts'
import { editJsonKey } from './edit-json-key.ts'

const edit = (text: string | undefined, value: { command: string } | undefined = { command: 'x' }) =>
  editJsonKey({ path: 'mcp.json', text, section: 'servers', key: 'cadre', value })

test('writes a new file', () => {
  expect(edit(undefined)).toEqual({
    kind: 'edited',
    text: '{\n  "servers": {\n    "cadre": {\n      "command": "x"\n    }\n  }\n}\n',
  })
  expect(edit('  \n')).toEqual(edit(undefined))
})

test.each([
  [
    'comments',
    '// mine\n{\n  "inputs": [], // ask\n  "servers": {\n    "a": { "url": "u" } // the first\n  }\n}\n',
  ],
  [
    'tabs and Windows line ends',
    '{\r\n\t"servers": {\r\n\t\t"a": {\r\n\t\t\t"url": "u"\r\n\t\t}\r\n\t}\r\n}',
  ],
  ['a byte order mark', '\ufeff{\n    "servers": {\n        "a": {}\n    }\n}\n'],
  ['one line', '{ "servers": { "a": { "x": [1,2] } }, "z": 1 }'],
  ['another section', '{\n  "other": { "b":1 } // note\n}\n'],
  ['an empty section', '{\n  "servers": {},\n  "z":1\n}\n'],
  ['trailing commas', '{\n  "servers": {\n    "a": {}, // x, y\n  },\n}\n'],
])('keeps every other byte: %s', (_, before) => {
  const added = edit(before)
  if (added.kind !== 'edited') throw new Error(added.reason)
  expect(readJson({ path: '', text: added.text }).diagnostics).toEqual([])
  // Everything that was there is there, in the same order: only characters were added.
  let at = 0
  for (const character of added.text) if (character === before[at]) at += 1
  expect(at).toBe(before.length)
  const removed = editJsonKey({
    path: '',
    text: added.text,
    section: 'servers',
    key: 'cadre',
    value: undefined,
  })
  if (removed.kind !== 'edited') throw new Error(removed.reason)
  const { root, diagnostics } = readJson({ path: '', text: removed.text })
  expect(diagnostics).toEqual([])
  expect(root?.fields?.get('servers')?.fields?.has('cadre')).toBe(false)
  for (const comment of before.match(/\/\/.*/g) ?? []) expect(removed.text).toContain(comment)
})

test('replaces only the value of an existing key', () => {
  const before = '{\n  "servers": {\n    "cadre": { "command": "old" }, // ours\n    "b": {}\n  }\n}\n'
  expect(edit(before)).toEqual({
    kind: 'edited',
    text: '{\n  "servers": {\n    "cadre": {\n      "command": "x"\n    }, // ours\n    "b": {}\n  }\n}\n',
  })
  expect(editJsonKey({ path: '', text: before, section: 'servers', key: 'cadre', value: undefined })).toEqual(
    {
      kind: 'edited',
      text: '{\n  "servers": { // ours\n    "b": {}\n  }\n}\n',
    },
  )
})

test.each([
  ['{ "servers": ', 1],
  ['[]', 1],
  ['{\n  "servers": []\n}', 2],
  ['{\n  "a": 1,\n  b: 2\n}', 3],
])('refuses %j', (text, line) => {
  expect(edit(text)).toMatchObject({ kind: 'refused', line })
})

test('removing an absent key changes nothing', () => {
  expect(editJsonKey({ path: 'x', text: '{ }', section: 'servers', key: 'cadre', value: undefined })).toEqual(
    {
      kind: 'edited',
      text: '{ }',
    },
  )
})
