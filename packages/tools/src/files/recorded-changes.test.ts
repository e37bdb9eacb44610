import { expect, test } from 'vitest'
import { createTools } from '../create-tools.ts'
import { recordedChanges } from './recorded-changes.ts'

const recorded = (spelling: string, input: object, result = '') =>
  recordedChanges({ spelling, arguments: JSON.stringify(input), result })

test('an edit of any dialect has the replaced text', async () => {
  const change = { kind: 'part', path: 'a', before: 'x', after: 'y' }
  expect(await recorded('edit_file', { path: 'a', old: 'x', new: 'y' })).toEqual([change])
  expect(await recorded('Edit', { file_path: 'a', old_string: 'x', new_string: 'y' })).toEqual([change])
  const edits = [
    { old: 'x', new: 'y' },
    { path: 'b', old: '1', new: '2' },
  ]
  expect(await recorded('edit_file', { path: 'a', edits })).toEqual([
    change,
    { kind: 'part', path: 'b', before: '1', after: '2' },
  ])
})

test('a patch has its parts, and the files that it creates, deletes and moves', async () => {
  const patch = [
    '*** Begin Patch',
    '*** Add File: new',
    '+text',
    '*** Delete File: old',
    '*** Update File: a',
    '*** Move to: b',
    '@@',
    ' same',
    '-x',
    '+y',
    '*** End Patch',
  ].join('\n')
  expect(await recorded('apply_patch', { input: patch })).toMatchObject([
    { kind: 'created', path: 'new' },
    { kind: 'deleted', path: 'old' },
    { kind: 'moved', path: 'a', to: 'b' },
    { kind: 'part', path: 'b', before: 'same\nx', after: 'same\ny' },
  ])
})

test('a write has the earlier text only if there was none', async () => {
  const input = { path: 'a', content: 'x' }
  expect(await recorded('write_file', input, 'Created a (1 byte).')).toEqual([
    { kind: 'created', path: 'a', after: 'x' },
  ])
  expect(await recorded('write_file', input, 'Wrote a (1 byte).')).toEqual([
    { kind: 'replaced', path: 'a', after: 'x' },
  ])
})

test('a change is known of every tool that changes the content of files', async () => {
  const inputs: { readonly [tool: string]: object } = {
    write_file: { path: 'a', content: 'x' },
    edit_file: { path: 'a', old: 'x', new: 'y' },
  }
  const tools = createTools().filter((tool) => tool.class === 'edit' && tool.name !== 'create_directory')
  for (const { name } of tools) {
    expect(inputs, `add arguments of ${name} here, and a case to recorded-changes.ts`).toHaveProperty(name)
    expect(await recorded(name, inputs[name] as object), name).toMatchObject([{ path: 'a' }])
  }
})

test.each([
  ['another tool', 'read_file', '{"path":"a"}'],
  ['an unknown tool', 'nonsense', '{}'],
  ['invalid arguments', 'edit_file', '{"path":7}'],
  ['no JSON', 'write_file', '{"path":'],
])('nothing is known of %s', async (_, spelling, given) => {
  expect(await recordedChanges({ spelling, arguments: given, result: '' })).toBeUndefined()
})
