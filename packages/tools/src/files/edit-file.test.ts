import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryWorkspace, type Workspace } from './workspace.spec-helpers.ts'

let ws: Workspace
beforeEach(() => {
  ws = temporaryWorkspace()
})
afterEach(() => ws[Symbol.dispose]())

const drafts = () =>
  readdirSync(ws.root, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.tmp'))

describe('edit_file', () => {
  it('replaces text that occurs once, and reports the line', async () => {
    ws.write('a.ts', 'one\ntwo\nthree\n')
    expect(await ws.call('edit_file', { path: 'a.ts', old: 'two', new: '2' })).toEqual({
      content: 'Edited a.ts at line 2.',
    })
    expect(ws.read('a.ts')).toBe('one\n2\nthree\n')
    expect(drafts()).toEqual([])
  })

  it('refuses text that occurs twice and reports the lines, unless all is set', async () => {
    ws.write('a.ts', 'x\ny\nx\n')
    const refused = await ws.call('edit_file', { path: 'a.ts', old: 'x', new: 'z' })
    expect(refused).toMatchObject({
      failed: true,
      content: expect.stringContaining('2 times in a.ts, at lines 1, 3'),
    })
    expect(ws.read('a.ts')).toBe('x\ny\nx\n')
    await ws.call('edit_file', { path: 'a.ts', old: 'x', new: 'z', all: true })
    expect(ws.read('a.ts')).toBe('z\ny\nz\n')
  })

  it.each([
    [
      'path',
      { path: 'a.ts', old: 'x', new: 'y', file_path: 'run.sh', old_string: 'ok', new_string: 'evil' },
      'path and file_path are the same argument with different values; give path once',
    ],
    ['old', { path: 'a.ts', edits: [{ old: 'x', new: 'y', oldText: 'ok' }] }, 'old and oldText'],
    ['patch', { patch: '*** Begin Patch', input: '*** End Patch' }, 'patch and input'],
    ['edits', { path: 'a.ts', edits: [], replacements: [{ old: 'x', new: 'y' }] }, 'edits and replacements'],
  ])('refuses two spellings of %s', async (_, given, fault) => {
    ws.write('a.ts', 'x')
    ws.write('run.sh', 'ok')
    expect(JSON.stringify(await ws.call('edit_file', given).catch(String))).toContain(fault)
    expect([ws.read('a.ts'), ws.read('run.sh')]).toEqual(['x', 'ok'])
  })

  it('accepts the same value twice, and an empty one next to a value', async () => {
    ws.write('a.ts', 'x')
    await ws.call('edit_file', { path: 'a.ts', filePath: 'a.ts', old: 'x', old_string: null, new: 'y' })
    expect(ws.read('a.ts')).toBe('y')
  })

  it('counts overlapping matches as two', async () => {
    ws.write('a.ts', 'aaa')
    expect(await ws.call('edit_file', { path: 'a.ts', old: 'aa', new: 'b' })).toMatchObject({ failed: true })
  })

  it('shows the most similar lines if nothing matches', async () => {
    ws.write('a.ts', 'function main() {\n  return compute(1)\n}\n')
    const spaces = await ws.call('edit_file', { path: 'a.ts', old: 'return   compute(1)', new: 'x' })
    expect(spaces.content).toContain('Line 2 is similar, but has different spaces')
    const alike = await ws.call('edit_file', { path: 'a.ts', old: 'return compute(2)', new: 'x' })
    expect(alike.content).toContain('line 2: return compute(1)')
    expect((await ws.call('edit_file', { path: 'a.ts', old: '§§§§', new: 'x' })).content).toContain(
      'Read the file first',
    )
  })

  it.each([
    ['\r\n', 'one\r\ntwo\r\nthree\r\n', 'one\ntwo', '1\n2', '1\r\n2\r\nthree\r\n'],
    [
      '\r\n in a file with a byte order mark',
      '\ufeffone\r\ntwo\r\n',
      'two',
      'a\nb',
      '\ufeffone\r\na\r\nb\r\n',
    ],
    ['\n, when the model writes \\r\\n', 'one\ntwo\n', 'one\r\ntwo', '1\r\n2', '1\n2\n'],
    ['mixed', 'one\r\ntwo\nthree\r\n', 'two\nthree', '2\n3', 'one\r\n2\n3\r\n'],
    ['a mark alone', '\ufeffa', 'a', 'b', '\ufeffb'],
    ['no newline at the end', 'a\nb', 'b', 'c', 'a\nc'],
    ['characters with a meaning in a replacement', 'a $& b', '$&', "$1$$'", "a $1$$' b"],
  ])('keeps line endings: %s', async (_, before, old, replacement, after) => {
    ws.write('a.txt', before)
    expect(await ws.call('edit_file', { path: 'a.txt', old, new: replacement })).not.toHaveProperty('failed')
    expect(ws.read('a.txt')).toBe(after)
  })

  it('refuses text that it could not write back', async () => {
    ws.write('latin.txt', Buffer.from([0x61, 0xe9, 0x62]))
    ws.write('wide.txt', Buffer.from('\ufeffa', 'utf16le'))
    ws.write('binary', Buffer.from([0, 1, 2]))
    for (const file of ['latin.txt', 'wide.txt', 'binary']) {
      expect(await ws.call('edit_file', { path: file, old: 'a', new: 'b' })).toMatchObject({
        failed: true,
        content: expect.stringContaining('UTF-8'),
      })
    }
    expect(readFileSync(path.join(ws.root, 'latin.txt'))).toEqual(Buffer.from([0x61, 0xe9, 0x62]))
  })

  it('keeps the mode, and does not change a read-only file', async () => {
    ws.write('run.sh', 'echo a\n')
    chmodSync(path.join(ws.root, 'run.sh'), 0o755)
    await ws.call('edit_file', { path: 'run.sh', old: 'a', new: 'b' })
    expect(statSync(path.join(ws.root, 'run.sh')).mode & 0o777).toBe(0o755)
  })

  it('breaks a hard link instead of changing the other file', async () => {
    const { linkSync } = await import('node:fs')
    writeFileSync(path.join(ws.outer, 'other.txt'), 'shared')
    linkSync(path.join(ws.outer, 'other.txt'), path.join(ws.root, 'a.txt'))
    await ws.call('write_file', { path: 'a.txt', content: 'mine' })
    expect(readFileSync(path.join(ws.outer, 'other.txt'), 'utf8')).toBe('shared')
  })

  it('creates a file from an empty old, but never replaces one this way', async () => {
    expect(await ws.call('Edit', { file_path: 'new/a.txt', old_string: '', new_string: 'hello' })).toEqual({
      content: 'Created new/a.txt.',
    })
    expect(
      await ws.call('Edit', { file_path: 'new/a.txt', old_string: '', new_string: 'again' }),
    ).toMatchObject({ failed: true })
    expect(ws.read('new/a.txt')).toBe('hello')
  })

  it.each([
    { old: 'a', new: 'a' },
    { old: 'a' },
    { new: 'a' },
    { old: 'a', new: 'b', typo: 1 },
    { edits: [] },
  ])('refuses %j', async (input) => {
    ws.write('a.txt', 'a')
    expect(await ws.call('edit_file', { path: 'a.txt', ...input })).toMatchObject({ failed: true })
  })
})

describe('edits of other dialects', () => {
  beforeEach(() => ws.write('a.txt', 'one two three\n'))

  it.each([
    ['Edit', { file_path: 'a.txt', old_string: 'two', new_string: '2' }],
    ['edit', { filePath: 'a.txt', oldString: 'two', newString: '2' }],
    ['Edit', { path: 'a.txt', old: 'two', new: '2' }],
    ['replace_string_in_file', { filePath: 'a.txt', oldString: 'two', newString: '2', explanation: 'why' }],
    [
      'multi_replace_string_in_file',
      {
        explanation: 'why',
        replacements: [{ filePath: 'a.txt', oldString: 'two', newString: '2', explanation: 'why' }],
      },
    ],
    ['MultiEdit', { file_path: 'a.txt', edits: [{ old_string: 'two', new_string: '2' }] }],
    ['edit_file', { path: 'a.txt', old_string: 'two', new_string: '2', replace_all: true }],
    [
      'apply_patch',
      { input: '*** Begin Patch\n*** Update File: a.txt\n@@\n-one two three\n+one 2 three\n*** End Patch' },
    ],
    [
      'apply_patch',
      {
        patchText: '*** Begin Patch\n*** Update File: a.txt\n-one two three\n+one 2 three\n*** End Patch\n',
        explanation: 'why',
      },
    ],
  ])('%s %j', async (name, input) => {
    expect(await ws.call(name, input)).not.toHaveProperty('failed')
    expect(ws.read('a.txt')).toBe('one 2 three\n')
    expect(ws.tool(name).paths?.(await checked(name, input))).toEqual(['a.txt'])
  })

  async function checked(name: string, input: Record<string, unknown>) {
    const tool = ws.tool(name)
    const result = await tool.input['~standard'].validate(tool.adapt?.[name]?.(input) ?? input)
    if (result.issues !== undefined) throw new Error('wrong input')
    return result.value
  }

  it('explains that it cannot fill in omitted code', async () => {
    const result = await ws.call('insert_edit_into_file', {
      filePath: 'a.txt',
      code: '// ...existing code...\nx',
      explanation: '',
    })
    expect(result).toMatchObject({ failed: true, content: expect.stringContaining('old and new') })
  })

  it('MultiEdit applies each edit to the result of the previous one, all or none', async () => {
    const edits = [
      { old_string: 'one', new_string: 'uno' },
      { old_string: 'uno two', new_string: 'uno dos' },
    ]
    await ws.call('MultiEdit', { file_path: 'a.txt', edits })
    expect(ws.read('a.txt')).toBe('uno dos three\n')
    const refused = await ws.call('MultiEdit', {
      file_path: 'a.txt',
      edits: [
        { old_string: 'uno', new_string: '1' },
        { old_string: 'missing', new_string: 'x' },
      ],
    })
    expect(refused).toMatchObject({
      failed: true,
      content: expect.stringContaining('Edit 2 of 2 failed, so no edit was made'),
    })
    expect(ws.read('a.txt')).toBe('uno dos three\n')
  })

  it('changes several files together or none of them', async () => {
    ws.write('b.txt', 'b\n')
    const change = (old: string) => ({
      replacements: [
        { filePath: 'a.txt', oldString: 'two', newString: '2' },
        { filePath: 'b.txt', oldString: old, newString: 'B' },
      ],
    })
    expect(await ws.call('multi_replace_string_in_file', change('missing'))).toMatchObject({ failed: true })
    expect(ws.read('a.txt')).toBe('one two three\n')
    await ws.call('multi_replace_string_in_file', change('b'))
    expect([ws.read('a.txt'), ws.read('b.txt')]).toEqual(['one 2 three\n', 'B\n'])
  })

  it('refuses one file under two names', async () => {
    const replacements = [
      { filePath: 'a.txt', oldString: 'one', newString: '1' },
      { filePath: './a.txt', oldString: 'two', newString: '2' },
    ]
    expect(await ws.call('multi_replace_string_in_file', { replacements })).toMatchObject({
      failed: true,
      content: expect.stringContaining('Two of the paths'),
    })
    expect(ws.read('a.txt')).toBe('one two three\n')
  })
})

describe('two concurrent calls', () => {
  it('both succeed if they change different places of one file', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index};`)
    ws.write('a.txt', lines.join('\n'))
    const results = await Promise.all(
      lines.map((line) => ws.call('edit_file', { path: 'a.txt', old: line, new: line.toUpperCase() })),
    )
    expect(results.filter((result) => result.failed)).toEqual([])
    expect(ws.read('a.txt')).toBe(lines.join('\n').toUpperCase())
  })

  it('one fails if they change the same place', async () => {
    ws.write('a.txt', 'value')
    const results = await Promise.all(
      ['one', 'two'].map((word) => ws.call('edit_file', { path: 'a.txt', old: 'value', new: word })),
    )
    expect(results.map((result) => result.failed === true).sort()).toEqual([false, true])
  })

  it('an edit and a write of one file do not mix, under any path', async () => {
    const { symlinkSync } = await import('node:fs')
    ws.write('a.txt', 'old')
    symlinkSync('a.txt', path.join(ws.root, 'link'))
    await Promise.all([
      ws.call('write_file', { path: 'link', content: 'whole new' }),
      ws.call('edit_file', { path: 'a.txt', old: 'new', new: 'edited' }),
    ])
    expect(['whole new', 'whole edited']).toContain(ws.read('a.txt'))
  })

  it('an edit is repeated on the text that another program saves between its read and its write', async () => {
    let saves = 0
    using shared = temporaryWorkspace({
      documents: {
        read: async () => undefined,
        async write({ path: file }) {
          if (saves++ === 0) appendFileSync(file, 'third\n')
          return false
        },
        changed: () => {},
      },
    })
    shared.write('a.txt', 'first\nsecond\n')
    const edited = await shared.call('edit_file', { path: 'a.txt', old: 'first', new: 'FIRST' })
    expect(edited.failed).toBeUndefined()
    expect([saves, shared.read('a.txt')]).toEqual([2, 'FIRST\nsecond\nthird\n'])
  })

  it('an edit includes a concurrent change by another process', async () => {
    ws.write('a.txt', 'first\nsecond\n')
    const { spawn } = await import('node:child_process')
    const file = path.join(ws.root, 'a.txt')
    const other = spawn(process.execPath, [
      '-e',
      `
      const fs = require('fs'); let n = 0
      const t = setInterval(() => { fs.appendFileSync(${JSON.stringify(file)}, 'x' + n++ + '\\n'); if (n === 60) { clearInterval(t) } }, 1)`,
    ])
    const ended = new Promise((resolve) => other.once('exit', resolve))
    let made = 0
    for (let round = 0; round < 60; round++) {
      const result = await ws.call('edit_file', {
        path: 'a.txt',
        old: round % 2 === 0 ? 'first' : 'FIRST',
        new: round % 2 === 0 ? 'FIRST' : 'first',
      })
      if (result.failed) round--
      else made++
    }
    await ended
    expect(made).toBe(60)
    expect(drafts()).toEqual([])
  })
})

describe('was it done? (edit_file)', () => {
  it.each([
    ['not yet', 'a = 1\n', { old: 'a = 1', new: 'a = 2' }, 'not_done'],
    ['already', 'a = 2\n', { old: 'a = 1', new: 'a = 2' }, 'done'],
    ['neither', 'b\n', { old: 'a = 1', new: 'a = 2' }, 'unknown'],
    ['new holds old, not yet', 'f()\n', { old: 'f()', new: 'f()\ng()' }, 'not_done'],
    ['new holds old, already or twice', 'f()\ng()\n', { old: 'f()', new: 'f()\ng()' }, 'unknown'],
    [
      'both are there: after it, old was there twice before',
      'a = 1\na = 2\n',
      { old: 'a = 1', new: 'a = 2' },
      'not_done',
    ],
    ['old holds new, not yet', 'f()\ng()\n', { old: 'f()\ng()', new: 'f()' }, 'unknown'],
    ['old holds new, already', 'f()\n', { old: 'f()\ng()', new: 'f()' }, 'done'],
    ['deleted', 'a\n', { old: 'b\n', new: '' }, 'done'],
    ['not deleted yet', 'a\nb\n', { old: 'b\n', new: '' }, 'not_done'],
    ['old twice: it would have failed', 'x x', { old: 'x', new: 'y' }, 'unknown'],
    ['all, already', 'y y', { old: 'x', new: 'y', all: true }, 'done'],
    ['all, not yet', 'x y x', { old: 'x', new: 'y', all: true }, 'not_done'],
    ['with other line ends, already', 'a\r\nB\r\n', { old: 'a\nb', new: 'a\nB' }, 'done'],
  ] as const)('%s', async (_, text, edit, answer) => {
    ws.write('a.txt', text)
    expect(await ws.check('edit_file', { path: 'a.txt', ...edit })).toBe(answer)
    expect(ws.read('a.txt')).toBe(text)
  })

  it('several edits: a state between them is unknown', async () => {
    const edits = [
      { old: 'one', new: '1' },
      { old: 'two', new: '2' },
    ]
    for (const [text, answer] of [
      ['one two', 'not_done'],
      ['1 2', 'done'],
      ['1 two', 'unknown'],
    ] as const) {
      ws.write('a.txt', text)
      expect(await ws.check('edit_file', { path: 'a.txt', edits })).toBe(answer)
    }
  })

  it('agrees with what really happened, for many edits', async () => {
    const words = ['a', 'b', 'ab', 'ba', 'aa', '', 'a\n', 'b\n']
    const texts = ['a', 'b', 'ab', 'aab', 'a\nb\n', 'ba\nab', 'b\nb\n']
    for (const text of process.env['CADRE_DEEP'] ? texts : texts.slice(3, 5)) {
      for (const old of words) {
        for (const replacement of words) {
          ws.write('a.txt', text)
          const input = { path: 'a.txt', old, new: replacement }
          const before = await ws.check('edit_file', input)
          const result = await ws.call('edit_file', input)
          if (result.failed) continue
          const after = await ws.check('edit_file', input)
          // Before a successful call it must not look done, and afterwards not undone.
          expect([before, after], JSON.stringify({ text, old, replacement })).toEqual([
            expect.not.stringMatching(/^done$/),
            expect.not.stringMatching(/^not_done$/),
          ])
        }
      }
    }
  })
})

describe('was it done? (the others)', () => {
  it('write_file', async () => {
    const input = { path: 'a/b.txt', content: 'x' }
    expect(await ws.check('write_file', input)).toBe('not_done')
    await ws.call('write_file', input)
    expect(await ws.check('write_file', input)).toBe('done')
    expect(await ws.check('write_file', { ...input, content: 'y' })).toBe('not_done')
    mkdirSync(path.join(ws.root, 'folder'))
    expect(await ws.check('write_file', { path: 'folder', content: 'y' })).toBe('unknown')
    expect(await ws.check('write_file', { path: '../a', content: 'y' })).toBe('unknown')
  })

  it('create_directory', async () => {
    expect(await ws.check('create_directory', { path: 'a/b' })).toBe('not_done')
    await ws.call('create_directory', { path: 'a/b' })
    expect(await ws.check('create_directory', { path: 'a/b' })).toBe('done')
  })

  it('a patch: each file counts, and a partial one is unknown', async () => {
    const input = {
      patch:
        '*** Begin Patch\n*** Add File: new.txt\n+new\n*** Update File: old.txt\n@@\n-a\n+b\n*** Delete File: gone.txt\n*** End Patch',
    }
    ws.write('old.txt', 'a\n')
    ws.write('gone.txt', 'x')
    expect(await ws.check('apply_patch', input)).toBe('not_done')
    ws.write('new.txt', 'new\n')
    expect(await ws.check('apply_patch', input)).toBe('unknown')
    const { rmSync } = await import('node:fs')
    rmSync(path.join(ws.root, 'new.txt'))
    expect(await ws.call('apply_patch', input)).not.toHaveProperty('failed')
    expect(await ws.check('apply_patch', input)).toBe('done')
  })
})

describe('an interrupted attempt', () => {
  it('leaves the file unchanged, and the next attempt of the same call cleans up', async () => {
    ws.write('a.txt', 'old')
    const context = { session: 's', agent: 'a', call: 'c', key: 's/c', workspace: ws.root }
    const run = () =>
      ws.tool('write_file').run({ path: 'a.txt', content: 'new' }, context, new AbortController().signal)
    await run()
    // The state left by a process that was killed between writing and renaming.
    const { createHash } = await import('node:crypto')
    const name = `.cadre-${createHash('sha256').update('s/c\na.txt').digest('hex').slice(0, 16)}.tmp`
    ws.write(name, 'half')
    ws.write('a.txt', 'old')
    expect(await run()).not.toHaveProperty('failed')
    expect(ws.read('a.txt')).toBe('new')
    expect(drafts()).toEqual([])
  })
})
