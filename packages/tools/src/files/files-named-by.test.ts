import { expect, it } from 'vitest'
import { filesNamedBy } from './files-named-by.ts'

const patch = '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch'

it.each([
  ['write_file', { path: 'a.txt', content: '' }, ['a.txt']],
  ['Write', { file_path: 'a.txt', content: '' }, ['a.txt']],
  ['apply_patch', { input: patch }, ['a.txt']],
  ['create_directory', { path: 'new' }, ['new']],
  ['read_file', { path: 'a.txt' }, []],
  ['execute_command', { command: 'touch a.txt', cwd: 'src' }, []],
  ['write_file', { path: 1 }, []],
  ['unknown', { path: 'a.txt' }, []],
])('%s %j changes %j', async (spelling, input, files) => {
  expect(await filesNamedBy({ spelling, arguments: JSON.stringify(input) })).toEqual(files)
})
