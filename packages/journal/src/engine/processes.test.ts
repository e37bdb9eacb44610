import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Home } from '@cadre/home'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { specOf } from '../format/journal.spec-helpers.ts'
import { dead, say, temporaryHome, testEngine } from './engine.spec-helpers.ts'

const root = join(import.meta.dirname, '../../../..')
const built = mkdtempSync(join(tmpdir(), 'cadre-child-'))
const program = join(built, 'child-process.spec-helpers.mjs')

beforeAll(() => {
  const config = join(built, 'vite.config.mjs')
  const conditions = ['cadre-source', 'module', 'node', 'default']
  const resolve = { conditions }
  const build = {
    ssr: join(import.meta.dirname, 'child-process.spec-helpers.ts'),
    outDir: built,
    emptyOutDir: false,
  }
  const output = { rollupOptions: { output: { entryFileNames: '[name].mjs' } } }
  const ssr = { noExternal: true, external: ['yaml'], resolve }
  writeFileSync(
    config,
    `export default ${JSON.stringify({ resolve, ssr, build: { ...build, ...output }, logLevel: 'error' })}`,
  )
  execFileSync(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--config', config], {
    cwd: built,
  })
})

afterAll(() => rmSync(built, { recursive: true, force: true }))

function start(home: Home, action: string, argument: string, prefix = ''): ChildProcess {
  const command = `${prefix}exec "$0" "$@"`
  return spawn('sh', ['-c', command, process.execPath, program, action, home.path, argument], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

function lines(child: ChildProcess): AsyncIterator<string> {
  if (child.stdout === null) throw new Error('unreachable: standard output is not piped')
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]()
}

const next = async (from: AsyncIterator<string>): Promise<string> => (await from.next()).value

describe('a process that is killed', () => {
  it('loses nothing that was acknowledged, and records nothing twice', async () => {
    const home = temporaryHome()
    const acknowledged = new Map<string, number>()
    for (let life = 1; life <= 3; life++) {
      const child = start(home, 'write', '20')
      const output = lines(child)
      for (let count = 0; count < 150 + life * 37; count++) {
        const [id = '', seq] = (await next(output)).split(' ')
        acknowledged.set(id, Number(seq))
      }
      child.kill('SIGKILL')
      for (let line = await output.next(); !line.done; line = await output.next()) {
        const [id = '', seq] = line.value.split(' ')
        acknowledged.set(id, Number(seq))
      }
      const engine = await testEngine(home)
      for (const [id, seq] of acknowledged) {
        const entries = (await engine.read(id))?.entries ?? []
        expect(entries.length).toBeGreaterThanOrEqual(seq)
        expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index + 1))
        const contents = entries.flatMap((entry) => (entry.role === 'user' ? [entry.content] : []))
        expect(new Set(contents).size).toBe(contents.length)
      }
      await engine.close()
    }
    expect(acknowledged.size).toBe(20)
  })
})

describe('several processes', () => {
  const ids = Array.from({ length: 80 }, (_, index) => `lead-${index}`)

  it.each([
    ['are new', async () => {}],
    [
      'were left by a dead process',
      async (home: Home) => {
        const gone = await testEngine(home, { identity: dead })
        for (const id of ids) await say(await gone.open(specOf(id)), 'one')
      },
    ],
  ])('race for sessions that %s: each is got by exactly one', async (_, prepare) => {
    const home = temporaryHome()
    await prepare(home)
    const children = Array.from({ length: 3 }, () => start(home, 'race', `${ids.length}`))
    const outputs = children.map(lines)
    for (const output of outputs) expect(await next(output)).toBe('ready')
    for (const child of children) child.stdin?.write('go\n')
    const won: number[][] = (await Promise.all(outputs.map(next))).map((line) => JSON.parse(line))
    expect(won.flat().sort((a, b) => a - b)).toEqual(ids.map((_id, index) => index))
    const engine = await testEngine(home)
    const holder = children[won.findIndex((indexes) => indexes.includes(0))]
    await expect(engine.open(specOf('lead-0'))).rejects.toMatchObject({
      code: 'owned',
      message: expect.stringContaining(`process ${holder?.pid} `),
    })
    const ends = children.map((child) => new Promise((resolve) => child.once('close', resolve)))
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(ends)
    for (const id of ids) await engine.open(specOf(id))
    await engine.close()
    expect(readdirSync(home.at('storage', 'leases')).filter((name) => name.includes('.lease'))).toEqual([])
  })
})

describe('few file descriptors', () => {
  // Takes seconds.
  it.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])(
    'are enough for many sessions',
    async () => {
      const many = process.env['CADRE_DEEP'] ? 2_000 : 300
      const home = temporaryHome()
      const output = lines(start(home, 'crowd', String(many), 'ulimit -n 256; '))
      expect(Number((await next(output)).split(' ')[1])).toBeLessThan(200)
      expect(await next(output)).toBe('done')
      const engine = await testEngine(home)
      const list = await engine.list()
      expect(list).toHaveLength(many)
      expect((await engine.read('worker-123'))?.entries).toHaveLength(3)
      await engine.close()
    },
  )
})

describe('a full disk', () => {
  it('rejects entries that do not fit, and leaves complete files', async () => {
    const home = temporaryHome()
    // A file size limit has the same effect as a full disk. The segment is longer, so it reaches the limit first.
    const output = lines(start(home, 'fill', '', "trap '' XFSZ; ulimit -f 100; "))
    const [code, count] = (await next(output)).split(' ')
    expect(code).toBe('EFBIG')
    expect(await next(output)).toBe('done')
    const engine = await testEngine(home)
    const stored = await engine.read('lead-1')
    expect(stored).toMatchObject({ status: 'completed', outcome: 'completed' })
    expect(stored?.entries).toHaveLength(Number(count) + 1)
    expect(stored?.entries.at(-1)).toMatchObject({ content: 'short' })
    await engine.close()
  })
})
