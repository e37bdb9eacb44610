import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTools } from '../create-tools.ts'
import { previewChange } from './preview-change.ts'
import { temporaryWorkspace, type Workspace } from './workspace.spec-helpers.ts'

let ws: Workspace
beforeEach(() => {
  ws = temporaryWorkspace()
  ws.write('a.txt', 'one\r\ntwo\r\n')
})
afterEach(() => ws[Symbol.dispose]())

const preview = (spelling: string, input: unknown) =>
  previewChange({
    tool: ws.tool(spelling).name,
    spelling,
    arguments: typeof input === 'string' ? input : JSON.stringify(input),
    workspace: ws.root,
  })

it.each([
  ['edit_file', { path: 'a.txt', old: 'two', new: '2' }],
  ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: '2' }],
  ['apply_patch', { input: '*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch' }],
])('shows the result of %s for a file, which equals the real one', async (spelling, input) => {
  expect(await preview(spelling, input)).toEqual([
    { path: 'a.txt', before: 'one\r\ntwo\r\n', after: 'one\r\n2\r\n' },
  ])
  expect(ws.read('a.txt')).toBe('one\r\ntwo\r\n')
  await ws.call(spelling, input)
  expect(ws.read('a.txt')).toBe('one\r\n2\r\n')
})

it('shows the changes of every tool that changes the content of files', async () => {
  const inputs: { readonly [tool: string]: object } = {
    write_file: { path: 'a.txt', content: 'x' },
    edit_file: { path: 'a.txt', old: 'two', new: '2' },
  }
  const tools = createTools().filter((tool) => tool.class === 'edit' && tool.name !== 'create_directory')
  for (const { name } of tools) {
    expect(inputs, `add arguments of ${name} here, and a case to preview-change.ts`).toHaveProperty(name)
    expect(await preview(name, inputs[name]), name).toMatchObject([{ path: 'a.txt' }])
  }
})

it('shows files that are created, replaced, deleted and moved', async () => {
  expect(await preview('write_file', { path: 'new.txt', content: 'x' })).toEqual([
    { path: 'new.txt', after: 'x' },
  ])
  expect(await preview('create_file', { filePath: 'a.txt', content: 'x' })).toEqual([
    { path: 'a.txt', before: 'one\r\ntwo\r\n', after: 'x' },
  ])
  const patch = (body: string) => ({ input: `*** Begin Patch\n${body}\n*** End Patch` })
  expect(await preview('apply_patch', patch('*** Delete File: a.txt'))).toEqual([
    { path: 'a.txt', before: 'one\r\ntwo\r\n' },
  ])
  expect(
    await preview('apply_patch', patch('*** Update File: a.txt\n*** Move to: b.txt\n@@\n-two\n+2')),
  ).toEqual([
    { path: 'b.txt', after: 'one\r\n2\r\n' },
    { path: 'a.txt', before: 'one\r\ntwo\r\n' },
  ])
})

it.each([
  ['an edit that does not fit', 'edit_file', { path: 'a.txt', old: 'missing', new: 'x' }],
  ['a path outside the workspace', 'write_file', { path: '../b.txt', content: 'x' }],
  ['a protected path', 'write_file', { path: '.git/config', content: 'x' }],
  ['arguments that are not JSON', 'write_file', '{"path": "a.txt"'],
  ['invalid arguments', 'write_file', { path: 'a.txt' }],
  ['another tool', 'create_directory', { path: 'b' }],
])('shows nothing for %s', async (_, spelling, input) => {
  expect(await preview(spelling, input)).toBeUndefined()
})

it('shows nothing for a file that is not text', async () => {
  ws.write('binary', Buffer.from([0, 1, 2]))
  expect(await preview('write_file', { path: 'binary', content: 'x' })).toBeUndefined()
})
