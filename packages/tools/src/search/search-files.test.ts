import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { glob } from '@cadre/disk'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createTools } from '../create-tools.ts'
import { temporaryWorkspace, type Workspace } from '../files/workspace.spec-helpers.ts'

const ways = [
  ['with ripgrep', {}],
  ['without ripgrep', { locateRipgrep: async () => undefined }],
] as const

describe.each(ways)('search_files %s', (way, options) => {
  let ws: Workspace
  beforeEach(() => {
    ws = temporaryWorkspace(options)
    ws.write('src/a.ts', 'const first = 1\nconst second = 2\n// --version\n')
    ws.write('src/b.py', 'first = 1\nsecond = first\n')
    ws.write('.hidden/c.txt', 'first in a hidden folder\n')
    ws.write('ignored/d.ts', 'first\n')
    ws.write('src/e.log', 'first\n')
    ws.write('.gitignore', '/ignored/\n*.log\n')
    ws.write('.git/config', 'first\n')
    ws.write('binary', Buffer.from('first\0first'))
  })
  afterEach(() => ws[Symbol.dispose]())

  const search = async (input: Record<string, unknown>, name = 'search_files') => {
    const { content, failed } = await ws.call(name, input)
    return failed ? `FAILED ${content}` : content.replace(/\n\[ripgrep is not installed.*$/, '')
  }

  it('finds lines, in order, and omits git-ignored files', async () => {
    expect(await search({ query: 'first' })).toBe(
      '.hidden/c.txt:1: first in a hidden folder\nsrc/a.ts:1: const first = 1\nsrc/b.py:1: first = 1\nsrc/b.py:2: second = first',
    )
    expect(await search({ query: 'first', path: 'src/b.py' })).toBe(
      'src/b.py:1: first = 1\nsrc/b.py:2: second = first',
    )
    expect(await search({ query: 'first', path: 'src' })).toBe(
      'src/a.ts:1: const first = 1\nsrc/b.py:1: first = 1\nsrc/b.py:2: second = first',
    )
    expect(await search({ query: 'nowhere' })).toBe('No matches for nowhere.')
  })

  it('reports that it did not use ripgrep', async () => {
    expect(
      (await ws.call('search_files', { query: 'first' })).content.includes('ripgrep is not installed'),
    ).toBe(way === 'without ripgrep')
  })

  it.each([
    ['--version', 'src/a.ts:3: // --version'],
    ['-e', 'No matches for -e.'],
    ['first = 1\nsecond', 'src/b.py:1: first = 1'],
    ['const (', 'No matches for const (.'],
    ['.*', 'No matches for .*.'],
    ['$(touch pwned)', 'No matches for $(touch pwned).'],
    ['SECOND', 'No matches for SECOND.'],
    ['First', 'No matches for First.'],
  ])('matches %j literally', async (query, answer) => {
    expect(await search({ query })).toBe(answer)
  })

  it('supports regular expressions, and reports errors in one', async () => {
    expect(await search({ query: 'const \\w+ = 2', mode: 'regex' })).toBe('src/a.ts:2: const second = 2')
    expect(await search({ query: 'first(?= = 1)', mode: 'regex', path: 'src' })).toContain('src/a.ts:1')
    for (const query of ['(', '[z-a]', '*a', 'a{2,1}'])
      expect(await search({ query, mode: 'regex' })).toMatch(/^FAILED The regular expression is invalid/)
    expect(await search({ query: 'a\0b' })).toMatch(/^FAILED/)
    expect(await search({ query: '' })).toMatch(/^FAILED/)
  })

  it('is not blocked by a regular expression', async () => {
    ws.write('long.txt', `${'a'.repeat(200)}!\n`)
    const start = Date.now()
    await search({ query: '^(a+)+$', mode: 'regex' })
    await search({ query: '^(a+)+$', mode: 'regex', path: 'long.txt' })
    expect(Date.now() - start).toBeLessThan(30_000)
  })

  it('stays inside, despite links', async () => {
    writeFileSync(path.join(ws.outer, 'secret.txt'), 'first secret\n')
    symlinkSync('..', path.join(ws.root, 'up'))
    expect(await search({ query: 'secret' })).toMatch(/^No matches/)
    expect(await search({ query: 'secret', path: 'up' })).toMatch(/^FAILED/)
    expect(await search({ query: 'secret', path: '..' })).toMatch(/^FAILED/)
  })

  it('shows only the first matches, and reports it', async () => {
    ws.write('many.txt', 'needle\n'.repeat(150))
    ws.write('more.txt', 'needle\n'.repeat(150))
    const found = (await search({ query: 'needle', limit: 120 })).split('\n')
    expect(found).toHaveLength(121)
    expect(found.at(-1)).toContain('first 120 matches')
    ws.write('wide.txt', `${'x'.repeat(5_000)}wide`)
    expect((await search({ query: 'wide' })).length).toBeLessThan(400)
  })

  it.each([
    [
      'Grep',
      { pattern: 'first', path: 'src', output_mode: 'content', '-n': true },
      'src/a.ts:1: const first = 1\nsrc/b.py:1: first = 1\nsrc/b.py:2: second = first',
    ],
    ['Grep', { pattern: 'fir.t' }, '.hidden/c.txt\nsrc/a.ts\nsrc/b.py'],
    ['Grep', { pattern: 'first', output_mode: 'count', glob: '*.py' }, 'src/b.py: 2'],
    [
      'Grep',
      { pattern: 'FIRST', '-i': true, type: 'ts', output_mode: 'content' },
      'src/a.ts:1: const first = 1',
    ],
    [
      'Grep',
      { pattern: 'second = 2', output_mode: 'content', '-B': 1 },
      'src/a.ts-1- const first = 1\nsrc/a.ts:2: const second = 2\nsrc/a.ts-3- // --version',
    ],
    [
      'grep_search',
      { query: 'fir.t = 1', isRegexp: true, includePattern: 'src/**' },
      'src/a.ts:1: const first = 1\nsrc/b.py:1: first = 1',
    ],
    ['grep_search', { query: 'fir.t', isRegexp: false, maxResults: 5 }, 'No matches for fir.t.'],
  ])('%s %j', async (name, input, answer) => {
    expect(await search(input, name)).toBe(answer)
  })

  it('by words: the file with most of them comes first', async () => {
    ws.write('src/pool.ts', 'export function openPool() {}\n// retries the connection\n')
    ws.write('src/other.ts', 'connection only\n')
    const found = await search({ query: 'where is the pool that retries a connection?' }, 'semantic_search')
    expect(found.split('\n')[1]).toMatch(/^1\. src\/pool\.ts:1/)
    expect(found).toContain('src/other.ts:1')
  })

  it('finds everything in a workspace inside an ignored folder', async () => {
    ws.write('inner/.cadre/workspaces/w/a.txt', 'needle\n')
    ws.write('inner/.gitignore', '.cadre\n')
    execFileSync('git', ['init', '-q', path.join(ws.root, 'inner')])
    const context = {
      session: '',
      agent: '',
      call: '',
      key: '',
      workspace: path.join(ws.root, 'inner/.cadre/workspaces/w'),
    }
    const result = await ws
      .tool('search_files')
      .run({ query: 'needle' }, context, new AbortController().signal)
    expect(result.content).toContain('a.txt:1: needle')
    expect(
      (await ws.tool('find_files').run({ glob: '*' }, context, new AbortController().signal)).content,
    ).toBe('a.txt')
  })

  it('omits the home in a workspace without git', async () => {
    const outer = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-search-')))
    onTestFinished(() => rmSync(outer, { recursive: true, force: true }))
    const home = path.join(outer, '.cadre')
    mkdirSync(path.join(home, 'sessions'), { recursive: true })
    writeFileSync(path.join(home, 'sessions', 'a.session.yaml'), 'content: needle\n')
    writeFileSync(path.join(outer, 'a.txt'), 'needle\n')
    const tool = createTools({ ...options, home }).find(({ name }) => name === 'search_files')
    const context = { session: '', agent: '', call: '', key: '', workspace: outer }
    const found = await tool?.run({ query: 'needle' }, context, new AbortController().signal)
    expect(found?.content).toContain('a.txt:1: needle')
    expect(found?.content).not.toContain('.cadre')
  })

  it('stops when it is cancelled', async () => {
    expect(await ws.call('search_files', { query: 'first' }, AbortSignal.abort())).toMatchObject({
      failed: true,
    })
  })
})

describe.each(ways)('find_files %s', (_, options) => {
  let ws: Workspace
  beforeEach(() => {
    ws = temporaryWorkspace(options)
    for (const file of [
      'a.ts',
      'src/b.ts',
      'src/deep/c.ts',
      'src/d.py',
      '.hidden/e.ts',
      'node_modules/f.ts',
      '.git/g.ts',
    ])
      ws.write(file, '')
    ws.write('.gitignore', 'node_modules\n')
  })
  afterEach(() => ws[Symbol.dispose]())

  it.each([
    ['find_files', { glob: '*.ts' }, '.hidden/e.ts\na.ts\nsrc/b.ts\nsrc/deep/c.ts'],
    ['find_files', { glob: './*.ts' }, 'a.ts'],
    ['find_files', { glob: 'src/*.ts' }, 'src/b.ts'],
    ['find_files', { glob: 'src/**/*.ts' }, 'src/b.ts\nsrc/deep/c.ts'],
    ['find_files', { glob: '**/*.{py,md}' }, 'src/d.py'],
    ['find_files', { glob: 'src/' }, 'src/b.ts\nsrc/d.py\nsrc/deep/c.ts'],
    ['find_files', { glob: '[ab].ts' }, 'a.ts\nsrc/b.ts'],
    ['Glob', { pattern: '*.ts', path: 'src' }, 'src/b.ts\nsrc/deep/c.ts'],
    ['file_search', { query: '**/c.ts', maxResults: 3 }, 'src/deep/c.ts'],
    ['find_files', { glob: 'nothing*' }, 'No file matches nothing*.'],
  ])('%s %j', async (name, input, answer) => {
    expect(await ws.call(name, input)).toEqual({ content: answer })
  })

  it.each(['../*', '/etc/*', 'src/../../*', '*/../../*', '~/*'])('%s is refused', async (pattern) => {
    expect(await ws.call('find_files', { glob: pattern })).toMatchObject({ failed: true })
  })

  it.skipIf(process.platform === 'win32')('returns unusual names unchanged', async () => {
    ws.write('odd/a\\b.txt', '')
    ws.write('odd/-x.txt', '')
    expect(await ws.call('find_files', { glob: 'odd/*' })).toEqual({ content: 'odd/-x.txt\nodd/a\\b.txt' })
  })

  it('accepts an absolute pattern inside', async () => {
    expect(await ws.call('Glob', { pattern: `${ws.root}/src/*.py` })).toEqual({ content: 'src/d.py' })
  })

  it('shows only the first thousand, and reports it', async () => {
    for (let index = 0; index < 1_100; index++) ws.write(`many/${index}.txt`, '')
    const lines = (await ws.call('find_files', { glob: '*.txt' })).content.split('\n')
    expect(lines).toHaveLength(1_001)
    expect(lines.at(-1)).toContain('narrower')
  })
})

describe('glob', () => {
  it.each([
    ['**', 'a/b/c', true],
    ['a/**', 'a', false],
    ['a/**', 'a/b', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['*.ts', 'x/y.ts', true],
    ['/*.ts', 'x/y.ts', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['[!a]b', 'ab', false],
    ['[!a]b', 'cb', true],
    ['[a-c]x', 'bx', true],
    ['[', '[', true],
    ['{a,b{c,d}}.x', 'bd.x', true],
    ['{a', '{a', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['', 'a', false],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(glob(pattern)?.(path)).toBe(expected)
  })

  it('is not blocked by many stars', () => {
    const start = Date.now()
    expect(glob('*a'.repeat(40))?.('a'.repeat(39))).toBe(false)
    expect(glob(`${'**/'.repeat(60)}b`)?.(`${'a/'.repeat(500)}a`)).toBe(false)
    expect(glob('{a,b}'.repeat(30))).toBeUndefined()
    expect(Date.now() - start).toBeLessThan(30_000)
  })
})
