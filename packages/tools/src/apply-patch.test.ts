import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryWorkspace, type Workspace } from './files/workspace.spec-helpers.ts'

let ws: Workspace
beforeEach(() => {
  ws = temporaryWorkspace()
})
afterEach(() => ws[Symbol.dispose]())

const apply = (...lines: string[]) =>
  ws.call('apply_patch', { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') })

describe('apply_patch', () => {
  it('adds, updates, moves and deletes in one call', async () => {
    ws.write('a.txt', 'one\ntwo\nthree\n')
    ws.write('b.txt', 'b\n')
    ws.write('c.txt', 'c\n')
    const result = await apply(
      '*** Add File: new/deep.txt',
      '+first',
      '+',
      '+third',
      '*** Update File: a.txt',
      '@@',
      ' one',
      '-two',
      '+2',
      ' three',
      '*** Update File: b.txt',
      '*** Move to: moved/b.txt',
      '@@',
      '-b',
      '+B',
      '*** Delete File: c.txt',
    )
    expect(result).toEqual({
      content: 'Created new/deep.txt.\nEdited a.txt.\nMoved b.txt to moved/b.txt.\nDeleted c.txt.',
    })
    expect(ws.read('new/deep.txt')).toBe('first\n\nthird\n')
    expect(ws.read('a.txt')).toBe('one\n2\nthree\n')
    expect(ws.read('moved/b.txt')).toBe('B\n')
    expect(['b.txt', 'c.txt'].map((name) => existsSync(path.join(ws.root, name)))).toEqual([false, false])
  })

  it('finds the place by its anchors', async () => {
    ws.write('a.py', 'class A:\n  def run(self):\n    pass\n\nclass B:\n  def run(self):\n    pass\n')
    expect(
      await apply(
        '*** Update File: a.py',
        '@@ class B:',
        '@@   def run(self):',
        '-    pass',
        '+    return 1',
      ),
    ).not.toHaveProperty('failed')
    expect(ws.read('a.py')).toBe(
      'class A:\n  def run(self):\n    pass\n\nclass B:\n  def run(self):\n    return 1\n',
    )
  })

  it('refuses an ambiguous place', async () => {
    ws.write('a.py', 'pass\nx\npass\n')
    const result = await apply('*** Update File: a.py', '@@', '-pass', '+return')
    expect(result).toMatchObject({ failed: true, content: expect.stringContaining('2 times, at lines 1, 3') })
    expect(ws.read('a.py')).toBe('pass\nx\npass\n')
  })

  it('makes several changes in the order of the file', async () => {
    ws.write('a.txt', 'a\nb\nc\nd\ne\n')
    await apply('*** Update File: a.txt', '@@', ' a', '-b', '@@', '-d', '+D', '+DD')
    expect(ws.read('a.txt')).toBe('a\nc\nD\nDD\ne\n')
  })

  it('keeps \\r\\n and the byte order mark, appends at the end, and changes a last line without newline', async () => {
    ws.write('a.txt', '\ufeffa\r\nb\r\n')
    await apply('*** Update File: a.txt', '@@', ' b', '+c', '*** End of File')
    expect(ws.read('a.txt')).toBe('\ufeffa\r\nb\r\nc\r\n')
    ws.write('b.txt', 'a\nb')
    await apply('*** Update File: b.txt', '@@', '-b', '+c')
    expect(ws.read('b.txt')).toBe('a\nc')
  })

  it('ignores trailing spaces, and no other difference', async () => {
    ws.write('a.txt', 'one  \n  two\n')
    expect(await apply('*** Update File: a.txt', '@@', ' one', '-two', '+2')).toMatchObject({ failed: true })
    expect(await apply('*** Update File: a.txt', '@@', ' one', '-  two', '+  2')).not.toHaveProperty('failed')
  })

  it('does not change anything if one of several files cannot be changed', async () => {
    ws.write('a.txt', 'a\n')
    ws.write('b.txt', 'b\n')
    expect(
      await apply(
        '*** Update File: a.txt',
        '@@',
        '-a',
        '+A',
        '*** Update File: b.txt',
        '@@',
        '-missing',
        '+x',
      ),
    ).toMatchObject({ failed: true })
    expect(await apply('*** Add File: new.txt', '+x', '*** Add File: b.txt', '+x')).toMatchObject({
      failed: true,
    })
    expect(await apply('*** Update File: a.txt', '*** Move to: b.txt', '@@', '-a', '+A')).toMatchObject({
      failed: true,
    })
    expect([ws.read('a.txt'), ws.read('b.txt'), existsSync(path.join(ws.root, 'new.txt'))]).toEqual([
      'a\n',
      'b\n',
      false,
    ])
  })

  it('reverts its changes if a later file cannot be written', async () => {
    ws.write('a.txt', 'a\n')
    ws.write('b.txt', 'b\n')
    ws.write('gone.txt', 'gone\n')
    const key = 'session/call'
    // Blocks the temporary file of b.txt, which is noticed only after a.txt is written.
    const draft = createHash('sha256').update(`${key}\nb.txt`).digest('hex').slice(0, 16)
    mkdirSync(path.join(ws.root, `.cadre-${draft}.tmp`))
    const patch = [
      '*** Begin Patch',
      '*** Update File: a.txt',
      '@@',
      '-a',
      '+A',
      '*** Add File: fresh.txt',
      '+x',
      '*** Delete File: gone.txt',
      '*** Update File: b.txt',
      '@@',
      '-b',
      '+B',
      '*** End Patch',
    ].join('\n')
    const context = { session: 's', agent: 'a', call: 'c', key, workspace: ws.root }
    const result = await ws.tool('apply_patch').run({ patch }, context, new AbortController().signal)
    expect(result).toMatchObject({ failed: true })
    expect([ws.read('a.txt'), ws.read('b.txt'), ws.read('gone.txt')]).toEqual(['a\n', 'b\n', 'gone\n'])
    expect(existsSync(path.join(ws.root, 'fresh.txt'))).toBe(false)
  })

  it.each([
    ['no beginning', { input: 'just text' }, 'Begin Patch'],
    ['a unified diff', { input: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n' }, 'Other patch formats'],
    ['no end', { input: '*** Begin Patch\n*** Delete File: a.txt' }, 'End Patch'],
    ['no file', { input: '*** Begin Patch\n*** End Patch' }, 'does not name a file'],
    ['an unknown section', { input: '*** Begin Patch\n*** Rename File: a\n*** End Patch' }, 'line 2'],
    [
      'a line without a prefix',
      { input: '*** Begin Patch\n*** Update File: a.txt\n@@\nodd\n*** End Patch' },
      'line 4',
    ],
    [
      'a new file with a line without +',
      { input: '*** Begin Patch\n*** Add File: b.txt\nodd\n*** End Patch' },
      'line 3',
    ],
    [
      'a file twice',
      { input: '*** Begin Patch\n*** Delete File: a.txt\n*** Delete File: a.txt\n*** End Patch' },
      'twice',
    ],
    [
      'no changes',
      { input: '*** Begin Patch\n*** Update File: a.txt\n*** End Patch' },
      'does not change anything',
    ],
    [
      'a patch and a path',
      { input: '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch', path: 'a.txt' },
      'cannot be combined',
    ],
  ])('refuses %s', async (_, input, reason) => {
    ws.write('a.txt', 'a\n')
    expect(await ws.call('apply_patch', input)).toMatchObject({
      failed: true,
      content: expect.stringContaining(reason),
    })
    expect(ws.read('a.txt')).toBe('a\n')
  })

  it('does not treat the line numbers of another format as an anchor', async () => {
    ws.write('a.txt', 'a\nb\n')
    expect(await apply('*** Update File: a.txt', '@@ -99,1 +99,1 @@', '-b', '+B')).not.toHaveProperty(
      'failed',
    )
    expect(ws.read('a.txt')).toBe('a\nB\n')
  })
})
