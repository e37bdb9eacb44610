import { appendFileSync, readdirSync, statSync, symlinkSync, unlinkSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConcurrentChange, removeFile, replaceFile } from './replace-file.ts'
import { temporaryWorkspace, type Workspace } from './workspace.spec-helpers.ts'

let ws: Workspace
beforeEach(() => {
  ws = temporaryWorkspace()
  ws.write('a.txt', 'as it was read')
})
afterEach(() => ws[Symbol.dispose]())

const file = (name = 'a.txt') => ({ root: ws.root, real: path.join(ws.root, name), shown: name })
const replace = (expected: Parameters<typeof replaceFile>[1]['expected'], name?: string) =>
  replaceFile(file(name), { content: 'new', key: 'k', expected })

describe('replaceFile', () => {
  it('replaces exactly the file that was read', async () => {
    await replace(statSync(file().real))
    expect(ws.read('a.txt')).toBe('new')
  })

  it('does not overwrite a concurrent change, and leaves nothing behind', async () => {
    const read = statSync(file().real)
    appendFileSync(file().real, ', and more')
    await expect(replace(read)).rejects.toThrow(ConcurrentChange)
    await expect(removeFile(file(), read)).rejects.toThrow(ConcurrentChange)
    expect(ws.read('a.txt')).toBe('as it was read, and more')
    expect(readdirSync(ws.root)).toEqual(['a.txt'])
  })

  it('notices another file with the same content', async () => {
    const read = statSync(file().real)
    unlinkSync(file().real)
    ws.write('a.txt', 'as it was read')
    await expect(replace(read)).rejects.toThrow(ConcurrentChange)
  })

  it('does not create a file that exists, or remove one that is gone', async () => {
    await expect(replace('nothing')).rejects.toThrow('already exists')
    const read = statSync(file().real)
    unlinkSync(file().real)
    await expect(removeFile(file(), read)).rejects.toThrow(ConcurrentChange)
  })

  it('does not replace a link that has replaced the file', async () => {
    ws.write('other.txt', 'other')
    symlinkSync('other.txt', file('link').real)
    await expect(replace('anything', 'link')).rejects.toThrow('link')
    expect(ws.read('other.txt')).toBe('other')
  })
})
