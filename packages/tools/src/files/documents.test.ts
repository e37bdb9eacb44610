import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createTools } from '../create-tools.ts'
import type { DocumentChange, Documents } from './documents.ts'

/** File tools in a new folder, with an editor that has these unsaved texts. */
function openFolder(files: Record<string, string | Uint8Array>, unsaved: Record<string, string> = {}) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-documents-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content)
  const requests: string[] = []
  const changes: DocumentChange[] = []
  const documents: Documents = {
    async read({ path: file }) {
      requests.push(`read ${path.basename(file)}`)
      return unsaved[path.basename(file)]
    },
    async write({ path: file, content }) {
      requests.push(`write ${path.basename(file)}`)
      if (path.basename(file) === 'own.txt') return false
      writeFileSync(file, content)
      return true
    },
    changed: (change) => void changes.push(change),
  }
  const tools = createTools({ documents })
  const context = { session: 's', agent: 'a', call: 'c', key: 'k', workspace: folder }
  const run = (name: string, input: object) => {
    const tool = tools.find((one) => one.name === name)
    if (tool === undefined) throw new Error(`no tool ${name}`)
    return tool.run(input, context, new AbortController().signal)
  }
  return {
    folder,
    requests,
    changes,
    run,
    read: (name: string) => readFileSync(path.join(folder, name), 'utf8'),
  }
}

it('keeps the byte order mark of a file whose unsaved text is edited', async () => {
  const { run, read, changes } = openFolder({ 'a.txt': '\ufeffsaved' }, { 'a.txt': 'unsaved' })
  expect((await run('edit_file', { path: 'a.txt', old: 'unsaved', new: 'changed' })).failed).toBeUndefined()
  expect(read('a.txt')).toBe('\ufeffchanged')
  expect(changes).toMatchObject([{ before: 'unsaved', after: 'changed' }])
})

it('does not read binary files from the editor, and reports no changes to them', async () => {
  const { run, requests, changes } = openFolder({ 'a.bin': new Uint8Array([1, 0, 2]) }, { 'a.bin': 'text' })
  expect((await run('read_file', { path: 'a.bin' })).failed).toBe(true)
  await run('write_file', { path: 'a.bin', content: 'now text' })
  expect(requests).toEqual(['write a.bin'])
  expect(changes).toEqual([])
})

it('writes the file itself if the editor does not, and reports the change', async () => {
  const { run, read, changes } = openFolder({})
  await run('write_file', { path: 'own.txt', content: 'x' })
  expect(read('own.txt')).toBe('x')
  expect(changes).toMatchObject([{ before: null, after: 'x' }])
})

it('reads lines of unsaved text, and says how to continue', async () => {
  const { run } = openFolder({ 'a.txt': 'one' }, { 'a.txt': 'first\nsecond\nthird\n' })
  const { content } = await run('read_file', { path: 'a.txt', offset: 2, limit: 1 })
  expect(content).toContain('second')
  expect(content).toContain('continue with offset 3')
})

it('restores all files of an edit if one of them fails', async () => {
  const { run, read } = openFolder({ 'a.txt': 'one', 'b.txt': 'two' })
  const patch = [
    '*** Begin Patch',
    '*** Update File: a.txt',
    '@@',
    '-one',
    '+changed',
    '*** Update File: b.txt',
    '@@',
    '-missing',
    '+changed',
    '*** End Patch',
  ].join('\n')
  expect((await run('edit_file', { patch })).failed).toBe(true)
  expect([read('a.txt'), read('b.txt')]).toEqual(['one', 'two'])
})

it('reports a deleted file', async () => {
  const { run, changes } = openFolder({ 'a.txt': 'one' })
  const patch = '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch'
  await run('edit_file', { patch })
  expect(changes).toMatchObject([{ before: 'one', after: null }])
})
