import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryWorkspace, type Workspace } from './workspace.spec-helpers.ts'

let ws: Workspace
beforeEach(() => {
  ws = temporaryWorkspace()
})
afterEach(() => ws[Symbol.dispose]())

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`)

describe('read_file', () => {
  it.each(['', 'a', 'a\n', '\n', 'a\n\n', 'ü€😀\n', '\ufeffmarked\n'])(
    'returns %j unchanged',
    async (content) => {
      ws.write('a.txt', content)
      const shown = content.replace('\ufeff', '')
      expect(await ws.call('read_file', { path: 'a.txt' })).toEqual({
        content: shown === '' ? '[a.txt is empty]' : shown,
      })
    },
  )

  it('returns a part, and how to get the next', async () => {
    ws.write('a.txt', `${lines(10).join('\n')}\n`)
    const part = await ws.call('read_file', { path: 'a.txt', offset: 3, limit: 2 })
    expect(part.content).toBe('line 3\nline 4\n[lines 3 to 4 of 10 shown; continue with offset 5]')
    expect((await ws.call('read_file', { path: 'a.txt', offset: 9 })).content).toBe('line 9\nline 10\n')
    expect(await ws.call('read_file', { path: 'a.txt', offset: 11 })).toMatchObject({
      failed: true,
      content: expect.stringContaining('has 10 lines'),
    })
  })

  it('all parts together are the file', async () => {
    const content = lines(5_000)
      .map((line) => line.repeat(10))
      .join('\n')
    ws.write('a.txt', content)
    let offset: number | undefined = 1
    const parts: string[] = []
    while (offset !== undefined) {
      const { content: part } = await ws.call('read_file', { path: 'a.txt', offset })
      const note = /\n\[lines .*continue with offset (\d+)\]$/.exec(part)
      parts.push(note === null ? part : part.slice(0, note.index))
      offset = note === null ? undefined : Number(note[1])
    }
    expect(parts.length).toBeGreaterThan(2)
    expect(parts.join('\n')).toBe(content)
  })

  it.each([
    ['read_file', { filePath: 'a.txt', startLine: 2, endLine: 3 }],
    ['Read', { file_path: 'a.txt', offset: 2, limit: 2 }],
    ['readFile', { path: 'a.txt', offset: 2, limit: 2 }],
  ])('%s %j', async (name, input) => {
    ws.write('a.txt', lines(5).join('\n'))
    expect((await ws.call(name, input)).content).toMatch(/^line 2\nline 3\n\[/)
  })

  it('distinguishes text from anything else', async () => {
    ws.write('binary', Buffer.from([1, 2, 0, 3]))
    ws.write('wide.txt', Buffer.from('\ufeffwide\n', 'utf16le'))
    expect(await ws.call('read_file', { path: 'binary' })).toMatchObject({
      failed: true,
      content: expect.stringContaining('view_image'),
    })
    expect(await ws.call('read_file', { path: 'wide.txt' })).toEqual({ content: 'wide\n' })
  })

  it('cuts an unreadably long line', async () => {
    ws.write('min.js', `${'x'.repeat(300_000)}\nnext\n`)
    const { content } = await ws.call('read_file', { path: 'min.js' })
    expect(content.length).toBeLessThan(11_000)
    expect(content).toContain('\nnext\n')
    expect(content).toContain('1 very long line was truncated')
  })

  it('does not split a character across two chunks of the file', async () => {
    const content = `${'a'.repeat(65_535)}\n${'é'.repeat(100)}\n`.slice(1)
    ws.write('a.txt', content.replace(/a{500}/g, '$&\n'))
    expect((await ws.call('read_file', { path: 'a.txt', offset: 120, limit: 100 })).content).not.toContain(
      '\ufffd',
    )
  })

  it('reads the start of a huge file without reading the rest', async () => {
    const handle = openSync(path.join(ws.root, 'huge'), 'w')
    writeSync(handle, `${lines(3_000).join('\n')}\n`)
    ftruncateSync(handle, 3 * 1_024 ** 3)
    closeSync(handle)
    const before = process.memoryUsage().rss
    const { content } = await ws.call('read_file', { path: 'huge', limit: 2 })
    expect(content).toBe('line 1\nline 2\n[lines 1 to 2 shown; continue with offset 3]')
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
  })

  it('stops when it is cancelled', async () => {
    ws.write('a.txt', 'a')
    expect(await ws.call('read_file', { path: 'a.txt' }, AbortSignal.abort())).toMatchObject({ failed: true })
  })
})

describe('list_directory', () => {
  it('shows folders first, and marks links', async () => {
    const { symlinkSync } = await import('node:fs')
    ws.write('b.txt', '')
    ws.write('a/c.txt', '')
    ws.write('odd\nname', '')
    symlinkSync('/etc', path.join(ws.root, 'link'))
    expect(await ws.call('list_directory', {})).toEqual({ content: 'a/\nb.txt\nlink@\n"odd\\nname"' })
    expect(await ws.call('LS', { path: ws.root })).toMatchObject({ content: expect.stringContaining('a/') })
    expect(await ws.call('list_dir', { path: 'a' })).toEqual({ content: 'c.txt' })
    expect(await ws.call('list_directory', { path: 'b.txt' })).toMatchObject({ failed: true })
    expect(await ws.call('list_directory', { path: 'none' })).toMatchObject({ failed: true })
  })
})
