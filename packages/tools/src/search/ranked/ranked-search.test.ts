import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ToolOptions } from '../../create-tools.ts'
import { createTools } from '../../create-tools.ts'
import { temporaryWorkspace, type Workspace } from '../../files/workspace.spec-helpers.ts'
import type { Embed, EmbedLoader } from './embed.ts'

let ws: Workspace
let home: string
let kept: (file: string) => boolean

beforeEach(() => {
  ws = temporaryWorkspace()
  home = path.join(ws.outer, 'home')
  mkdirSync(home)
  kept = () => false
  ws.write(
    'docs/guide.md',
    '# Guide\n\n## Connection pool\n\nA pool retries a broken connection.\n\n## Else\n\nNothing.\n',
  )
  ws.write('src/pool.ts', `${'// filler\n'.repeat(40)}export function openPool() {}\n`)
  ws.write('src/other.ts', 'const connection = 1\n')
  ws.write('.gitignore', 'build/\n')
  ws.write('build/out.ts', 'pool pool pool connection\n')
  ws.write('.env', 'POOL_PASSWORD=connection\n')
  ws.write('binary', Buffer.from('pool\0connection'))
})
afterEach(() => ws[Symbol.dispose]())

/** Simulates a new process: only data on disk is remembered. */
function process(options: Partial<ToolOptions> = {}) {
  const tools = createTools({
    home,
    hiddenIn: () => (real) => kept(path.relative(ws.root, real)),
    ...options,
  })
  const tool = tools.find(({ name }) => name === 'search_files')
  return async (query: string, more: Record<string, unknown> = {}, signal = new AbortController().signal) => {
    const context = { session: 's', agent: 'a', call: 'c', key: 'k', workspace: ws.root }
    const result = await tool?.run({ query, mode: 'ranked', ...more }, context, signal)
    return `${result?.failed ? 'FAILED ' : ''}${result?.content}`.replace(
      /\n\[ripgrep is not installed.*$/,
      '',
    )
  }
}

function filesOf(found: string): string[] {
  return [...new Set(found.split('\n').flatMap((line) => /^\d+\. (\S+):\d+/.exec(line)?.[1] ?? []))]
}

const indexFiles = () => {
  const folder = path.join(home, 'storage/index')
  return readdirSync(folder).map((name) => path.join(folder, name))
}
/** Old enough that the file does not count as being written. */
const settle = (file: string) => utimesSync(path.join(ws.root, file), new Date(2_000), new Date(2_000))

describe.each([
  ['with ripgrep', {}],
  ['without ripgrep', { locateRipgrep: async () => undefined }],
])('a ranked search %s', (_, way) => {
  it('returns passages, best first, with their place and lines', async () => {
    const search = process(way)
    const found = await search('where does the pool retry connections?')
    expect(found.split('\n').slice(0, 5)).toEqual([
      '[passages ranked by words, best first]',
      '1. docs/guide.md:3 Guide › Connection pool',
      '  3: ## Connection pool',
      '  4: ',
      '  5: A pool retries a broken connection.',
    ])
    expect(filesOf(found).sort()).toEqual(['docs/guide.md', 'src/other.ts', 'src/pool.ts'])
    expect(found).toContain('41: export function openPool() {}')
    expect(filesOf(await search('pool', { path: 'src' }))).toEqual(['src/pool.ts'])
    expect(filesOf(await search('pool', { glob: '*.md' }))).toEqual(['docs/guide.md'])
    expect(await search('unheard-of')).toBe('No matches for unheard-of.')
    expect(filesOf(await search('conection'))).toContain('src/other.ts')
  })

  it('omits git-ignored files, secrets, binary and large files, links, and the home', async () => {
    ws.write('large.txt', 'pool connection\n'.repeat(80_000))
    writeFileSync(path.join(ws.outer, 'outside.txt'), 'pool connection')
    symlinkSync('../outside.txt', path.join(ws.root, 'link.txt'))
    ws.write('.cadre/sessions/x.yaml', 'pool connection')
    const search = process({ ...way, home: path.join(ws.root, '.cadre') })
    const found = await search('pool connection')
    expect(filesOf(found).sort()).toEqual(['docs/guide.md', 'src/other.ts', 'src/pool.ts'])
    expect(found).toContain('[1 file is larger than 1 MB and not in the index]')
  })
})

describe('an index', () => {
  it('follows the files: new, changed, renamed and removed', async () => {
    const search = process()
    await search('pool')
    ws.write('src/new.ts', '// zebra\n')
    expect(filesOf(await search('zebra'))).toEqual(['src/new.ts'])
    // With the same size, at the same time.
    ws.write('src/new.ts', '// camel\n')
    expect(filesOf(await search('zebra'))).toEqual([])
    expect(filesOf(await search('camel'))).toEqual(['src/new.ts'])
    renameSync(path.join(ws.root, 'src/new.ts'), path.join(ws.root, 'src/newer.ts'))
    expect(filesOf(await search('camel'))).toEqual(['src/newer.ts'])
    rmSync(path.join(ws.root, 'src/newer.ts'))
    expect(filesOf(await search('camel'))).toEqual([])
  })

  it('shows the current lines, even to another process', async () => {
    await process()('pool')
    ws.write('docs/guide.md', `new first line\n\n${ws.read('docs/guide.md')}`)
    const found = await process()('pool retries')
    expect(found).toContain('docs/guide.md:5 Guide › Connection pool')
    expect(found).toContain('7: A pool retries a broken connection.')
  })

  it('is stored, read by the next process, and not rewritten if nothing changed', async () => {
    for (const file of ['docs/guide.md', 'src/pool.ts', 'src/other.ts', '.gitignore', 'binary']) settle(file)
    await expect.poll(() => Date.now() - statSync(path.join(ws.root, 'binary')).ctimeMs).toBeGreaterThan(100)
    await process()('pool')
    const [file = ''] = indexFiles()
    expect(indexFiles()).toHaveLength(1)
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(readFileSync(file, 'utf8')).not.toMatch(/password/i)
    const before = statSync(file)
    expect(filesOf(await process()('pool'))).toContain('src/pool.ts')
    expect(statSync(file)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
  })

  const damages: readonly (readonly [string, (file: string) => void])[] = [
    ['is deleted', (file) => rmSync(file)],
    ['is empty', (file) => truncateSync(file, 0)],
    ['is cut', (file) => truncateSync(file, Math.floor(statSync(file).size / 2))],
    ['is longer', (file) => appendFileSync(file, 'x')],
    [
      'says something else',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replaceAll('pool', 'loop')),
    ],
    ['is no index', (file) => writeFileSync(file, '{"root":1}\n[]')],
    [
      'is a folder',
      (file) => {
        rmSync(file)
        mkdirSync(file)
      },
    ],
    [
      'has a file in its way',
      (file) => {
        rmSync(path.dirname(file), { recursive: true })
        writeFileSync(path.dirname(file), '')
      },
    ],
  ]
  it.each(damages)('is rebuilt when it %s', async (_, damage) => {
    await process()('pool')
    damage(indexFiles()[0] ?? '')
    expect(filesOf(await process()('pool'))).toEqual(['docs/guide.md', 'src/pool.ts'])
  })

  it('serves several concurrent searches, in several processes', async () => {
    const searches = [process(), process(), process()]
    const found = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        ws.write(`many/${at}.txt`, `number${at}\n`)
        return filesOf(await (searches[at % 3] as (typeof searches)[0])(`number${at}`))
      }),
    )
    expect(found.map((files) => files[0])).toEqual(found.map((_, at) => `many/${at}.txt`))
    expect(indexFiles().filter((file) => file.endsWith('.tmp'))).toEqual([])
  })

  it('continues after a cancelled search', async () => {
    for (let at = 0; at < 50; at++) ws.write(`many/${at}.txt`, 'camel\n')
    const search = process()
    const stop = new AbortController()
    const cancelled = search('camel', {}, stop.signal)
    stop.abort()
    expect(await cancelled).toMatch(/^FAILED/)
    expect(filesOf(await search('camel')).length).toBeGreaterThan(5)
  })

  it('drops everything that is hidden from agents', async () => {
    ws.write('plans/secret.md', 'The zebra is out.\n')
    await process()('zebra')
    const [file = ''] = indexFiles()
    expect(readFileSync(file, 'utf8')).toContain('zebra')
    kept = (name) => name === 'plans/secret.md'
    expect(filesOf(await process()('zebra'))).toEqual([])
    expect(readFileSync(file, 'utf8')).not.toMatch(/zebra|secret/)
    kept = () => false
    expect(filesOf(await process()('zebra'))).toEqual(['plans/secret.md'])
  })

  it('is only in memory without a home', async () => {
    expect(filesOf(await createToolsWithout()('pool'))).toContain('src/pool.ts')
    expect(filesOf(await process({ home: path.join(ws.outer, 'missing') })('pool'))).toContain('src/pool.ts')
    expect(readdirSync(ws.outer).sort()).toEqual(['home', 'workspace'])
  })

  function createToolsWithout() {
    return async (query: string) => (await ws.call('search_files', { query, mode: 'ranked' })).content
  }
})

describe('a semantic search', () => {
  const animals: Record<string, number> = { cat: 0, kitten: 0, feline: 0, dog: 1, puppy: 1, pool: 2 }
  let texts: string[]
  const embed: Embed = {
    key: 'animals',
    async embed(given) {
      texts.push(...given)
      return given.map((text) => {
        const vector = [0, 0, 0, 0.01]
        for (const word of text.toLowerCase().split(/\W+/)) {
          const at = animals[word]
          if (at !== undefined) vector[at] = (vector[at] ?? 0) + 1
        }
        return vector
      })
    },
  }
  const failing: EmbedLoader = async () => ({
    key: 'x',
    embed: () => Promise.reject(new Error('no network')),
  })
  beforeEach(() => {
    texts = []
    ws.write('pets/a.md', 'The kitten sleeps.\n')
    ws.write('pets/b.md', 'The puppy barks.\n')
  })

  it('finds passages without any of the words, stores the vectors, and requests only new ones', async () => {
    const found = await process({ loadEmbedder: async () => embed })('feline', { mode: 'semantic' })
    expect(found).toMatch(/^\[passages ranked by meaning/)
    expect(filesOf(found)[0]).toBe('pets/a.md')
    const asked = texts.length
    texts = []
    await process({ loadEmbedder: async () => embed })('dog', { mode: 'semantic' })
    expect(texts).toEqual(['dog'])
    expect(asked).toBeGreaterThan(3)
    texts = []
    ws.write('pets/b.md', 'The cat came.\n')
    const later = await process({ loadEmbedder: async () => embed })('feline', {
      mode: 'semantic',
      path: 'pets',
    })
    expect(filesOf(later).slice(0, 2).sort()).toEqual(['pets/a.md', 'pets/b.md'])
    expect(texts).toHaveLength(2)
  })

  it('rebuilds all vectors for another module, and after damage', async () => {
    const other = { ...embed, key: 'other' }
    await process({ loadEmbedder: async () => embed })('feline', { mode: 'semantic' })
    const all = texts.length
    texts = []
    await process({ loadEmbedder: async () => other })('feline', { mode: 'semantic' })
    expect(texts).toHaveLength(all)
    for (const file of indexFiles()) truncateSync(file, statSync(file).size - 3)
    texts = []
    expect(
      filesOf(await process({ loadEmbedder: async () => other })('feline', { mode: 'semantic' }))[0],
    ).toBe('pets/a.md')
    expect(texts).toHaveLength(all)
  })

  const without: readonly (readonly [string, EmbedLoader | undefined, RegExp])[] = [
    ['is not configured', undefined, /not available: no endpoint with embeddings/],
    [
      'cannot be loaded',
      async () => 'it is not trusted',
      /it is not trusted; passages are ranked by words instead/,
    ],
    ['fails', failing, /no network/],
  ]
  it.each(without)('falls back to words, and reports it, when it %s', async (_, loadEmbedder, note) => {
    const found = await process(loadEmbedder && { loadEmbedder })('kitten', { mode: 'semantic' })
    expect(found).toMatch(/^\[passages ranked by words/)
    expect(filesOf(found)).toEqual(['pets/a.md'])
    expect(found).toMatch(note)
  })
})
