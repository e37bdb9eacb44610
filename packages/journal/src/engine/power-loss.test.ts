import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import type { Run } from '@cadre/core'
import type { Home } from '@cadre/home'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { specOf } from '../format/journal.spec-helpers.ts'
import {
  dead,
  edit,
  pathOf,
  said,
  say,
  type TestEngine,
  temporaryHome,
  testEngine,
  textOf,
} from './engine.spec-helpers.ts'

/** The engine of a process before the power loss. */
const before = (home: Home) => testEngine(home, { identity: { ...dead, boot: 'before' } })
/** The first engine after the restart. */
const after = (home: Home) => testEngine(home, { identity: { boot: 'after' } })
const stored = async (engine: TestEngine, id = 'lead-1') => said((await engine.read(id))?.entries)

async function sayAll(run: Run, ...texts: string[]): Promise<void> {
  for (const text of texts) await say(run, text, true)
}

describe('after a power loss', () => {
  it.each([
    ['emptied', (path: string) => truncateSync(path, 0)],
    ['removed', (path: string) => rmSync(path)],
    ['cut in the header', (path: string) => truncateSync(path, 50)],
    ['cut in an entry', (path: string) => truncateSync(path, readFileSync(path).length - 40)],
    [
      'cut between entries',
      (path: string) => truncateSync(path, readFileSync(path, 'utf8').indexOf('  - seq: 2')),
    ],
    ['filled with zeros', (path: string) => writeFileSync(path, Buffer.alloc(readFileSync(path).length))],
    ['full of holes', (path: string) => writeFileSync(path, readFileSync(path).fill(0, 300, 700))],
    ['followed by zeros', (path: string) => appendFileSync(path, Buffer.alloc(4096))],
    [
      'left with an old header',
      (path: string) =>
        writeFileSync(path, readFileSync(path, 'utf8').replace('status: sleeping', 'status: active  ')),
    ],
  ])('a file that was %s is whole again', async (_, lose) => {
    const home = temporaryHome()
    const first = await before(home)
    const runs = [
      await first.open(specOf('lead-1')),
      await first.open(specOf('worker-1', { root: 'lead-1' })),
    ]
    for (const run of runs) await sayAll(run, 'one', 'two', 'three')
    await runs[0]?.end({ kind: 'suspended', questions: [] })
    const whole = ['lead-1', 'worker-1'].map((id) => textOf(home, id))
    for (const id of ['lead-1', 'worker-1']) lose(pathOf(home, id))
    const engine = await after(home)
    expect(['lead-1', 'worker-1'].map((id) => textOf(home, id))).toEqual(whole)
    expect(readdirSync(home.at('storage', 'wal'))).toEqual([])
    for (const id of ['lead-1', 'worker-1']) expect(await stored(engine, id)).toEqual(['one', 'two', 'three'])
    expect(new Set(engine.diagnostics.map(({ code }) => code))).toEqual(new Set(['segment.replayed']))
    await engine.close()
  })

  it('restores every durable entry, whichever part of each file was lost', async () => {
    const home = temporaryHome()
    const first = await before(home)
    const ids = Array.from({ length: 20 }, (_, index) => `lead-${index}`)
    const runs = await Promise.all(ids.map((id) => first.open(specOf(id))))
    for (let round = 0; round < 5; round++)
      await Promise.all(runs.map((run) => say(run, `said in round ${round}`, true)))
    const whole = ids.map((id) => textOf(home, id))
    const paths = readdirSync(home.at('storage', 'wal')).map((name) => home.at('storage', 'wal', name))
    const segments = paths.map((path) => readFileSync(path))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { minLength: 20, maxLength: 20 }), async (cuts) => {
        for (const [index, path] of paths.entries()) writeFileSync(path, segments[index] ?? '')
        for (const [index, id] of ids.entries())
          truncateSync(pathOf(home, id), (cuts[index] ?? 0) % (whole[index]?.length ?? 1))
        const engine = await after(home)
        expect(ids.map((id) => textOf(home, id))).toEqual(whole)
        await engine.close()
      }),
      { numRuns: 25, seed: 5 },
    )
  })

  it('restores everything before the end of a truncated segment', async () => {
    const home = temporaryHome()
    const first = await before(home)
    await sayAll(await first.open(specOf('lead-1')), 'one', 'two', 'three')
    const [name] = readdirSync(home.at('storage', 'wal'))
    const segment = home.at('storage', 'wal', name ?? '')
    truncateSync(segment, readFileSync(segment).length - 5)
    rmSync(pathOf(home, 'lead-1'))
    const engine = await after(home)
    expect(await stored(engine)).toEqual(['one', 'two'])
    await engine.close()
  })

  it('a reopened session keeps both its old and its new entries', async () => {
    const home = temporaryHome()
    const zero = await testEngine(home)
    const run = await zero.open(specOf('lead-1'))
    await sayAll(run, 'one', 'two')
    await run.end({ kind: 'suspended', questions: [] })
    await zero.close()
    const synced = textOf(home, 'lead-1')
    const first = await before(home)
    await sayAll(await first.open(specOf('lead-1')), 'three')
    writeFileSync(pathOf(home, 'lead-1'), synced)
    const engine = await after(home)
    expect(await stored(engine)).toEqual(['one', 'two', 'three'])
    expect((await engine.read('lead-1'))?.status).toBe('active')
    await engine.close()
  })

  it('a session that was edited while it slept and then resumed keeps the edit', async () => {
    const home = temporaryHome()
    const first = await before(home)
    await first.open(specOf('lead-1'))
    const spec = specOf('worker-1', { root: 'lead-1' })
    const run = await first.open(spec)
    await sayAll(run, 'one', 'two')
    await run.end({ kind: 'suspended', questions: [] })
    edit(home, 'worker-1', (text) => text.replace('content: two', 'content: six'))
    const again = await first.open(spec)
    const { length } = textOf(home, 'worker-1')
    await sayAll(again, 'three')
    truncateSync(pathOf(home, 'worker-1'), length)
    const engine = await after(home)
    expect(await stored(engine, 'worker-1')).toEqual(['one', 'six', 'three'])
    await engine.close()
  })

  it('does not change an edited file, and keeps the missing entries in another file', async () => {
    const home = temporaryHome()
    const first = await before(home)
    await sayAll(await first.open(specOf('lead-1')), 'one', 'two')
    edit(home, 'lead-1', (text) =>
      text.slice(0, text.indexOf('  - seq: 2')).replace('content: one', 'content: mine'),
    )
    const engine = await after(home)
    expect(await stored(engine)).toEqual(['mine'])
    expect(readFileSync(`${pathOf(home, 'lead-1')}.unreplayed`, 'utf8')).toContain('content: two')
    expect(engine.diagnostics).toMatchObject([{ code: 'segment.kept', session: 'lead-1' }])
    await engine.close()
  })
})

describe('without a power loss', () => {
  it('replays nothing: entries that were removed after the process died stay removed', async () => {
    const home = temporaryHome()
    const first = await testEngine(home, { identity: dead })
    await sayAll(await first.open(specOf('lead-1')), 'one', 'two', 'three')
    edit(home, 'lead-1', (text) => text.slice(0, text.indexOf('  - seq: 2')))
    const engine = await testEngine(home)
    expect(await stored(engine)).toEqual(['one'])
    expect(readdirSync(home.at('storage', 'wal'))).toEqual([])
    expect(engine.diagnostics).toEqual([])
    await engine.close()
  })

  it('leaves the segment of a running process alone', async () => {
    const home = temporaryHome()
    const running = await testEngine(home)
    await sayAll(await running.open(specOf('lead-1')), 'one')
    const segments = readdirSync(home.at('storage', 'wal'))
    const engine = await testEngine(home)
    await sayAll(await engine.open(specOf('lead-2')), 'one')
    expect(readdirSync(home.at('storage', 'wal'))).toEqual(expect.arrayContaining(segments))
    await engine.close()
    expect(readdirSync(home.at('storage', 'wal'))).toEqual(segments)
    await running.close()
  })
})

describe('entries that a person removed never come back', () => {
  it('when the edit was applied before the power loss', async () => {
    const home = temporaryHome()
    const first = await before(home)
    const run = await first.open(specOf('lead-1'))
    await sayAll(run, 'one', 'two', 'three')
    edit(home, 'lead-1', (text) => text.slice(0, text.indexOf('  - seq: 2')))
    await sayAll(run, 'next')
    truncateSync(pathOf(home, 'lead-1'), textOf(home, 'lead-1').indexOf('  - seq: 2'))
    const engine = await after(home)
    expect(await stored(engine)).toEqual(['one', 'next'])
    await engine.close()
  })

  it('when another process has resumed the session since', async () => {
    const home = temporaryHome()
    const first = await testEngine(home, { identity: { ...dead, boot: 'before' } })
    await sayAll(await first.open(specOf('lead-1')), 'one', 'two', 'three')
    // On the same boot: the second process finds the first one dead.
    const second = await testEngine(home, { identity: { ...dead, boot: 'before' } })
    const run = await second.open(specOf('lead-1'))
    edit(home, 'lead-1', (text) => text.slice(0, text.indexOf('  - seq: 2')))
    await sayAll(run, 'next')
    truncateSync(pathOf(home, 'lead-1'), textOf(home, 'lead-1').indexOf('  - seq: 2'))
    const engine = await after(home)
    expect(await stored(engine)).toEqual(['one', 'next'])
    await engine.close()
  })

  it('when the process that wrote them is still running, and released the session', async () => {
    const home = temporaryHome()
    const first = await before(home)
    const other = await first.open(specOf('lead-2'))
    await sayAll(other, 'keeps the segment alive')
    const run = await first.open(specOf('lead-1'))
    await sayAll(run, 'one', 'two', 'three')
    await run.end({ kind: 'suspended', questions: [] })
    // The lease is released once the segment no longer has frames of the session.
    while (existsSync(home.at('storage', 'leases', 'lead-1.lease')))
      await new Promise((resolve) => setImmediate(resolve))
    await sayAll(other, 'more')
    edit(home, 'lead-1', (text) => text.slice(0, text.indexOf('  - seq: 2')))
    const engine = await after(home)
    expect(await stored(engine)).toEqual(['one'])
    expect(await stored(engine, 'lead-2')).toEqual(['keeps the segment alive', 'more'])
    await engine.close()
  })
})

describe('segments', () => {
  it('of a process that died while this one ran are recovered before its session resumes', async () => {
    const home = temporaryHome()
    const engine = await testEngine(home)
    await engine.open(specOf('lead-2'))
    const other = await testEngine(home, { identity: dead })
    await sayAll(await other.open(specOf('lead-1')), 'one')
    const left = readdirSync(home.at('storage', 'wal')).filter((name) => name.startsWith(`${dead.pid}-`))
    const run = await engine.open(specOf('lead-1'))
    expect(said(run.recorded)).toEqual(['one'])
    for (const name of readdirSync(home.at('storage', 'wal'))) expect(left).not.toContain(name)
    await engine.close()
  })

  it('are removed when they are full, without losing entries in a power loss at that moment', async () => {
    const home = temporaryHome()
    const first = await testEngine(home, { identity: { ...dead, boot: 'before' }, segmentLimit: 2000 })
    const run = await first.open(specOf('lead-1'))
    const texts = Array.from({ length: 60 }, (_, index) => `${index}: ${'x'.repeat(200)}`)
    for (const text of texts) await say(run, text, true)
    const names = readdirSync(home.at('storage', 'wal'))
    expect(names.length).toBeLessThan(10)
    const engine = await after(home)
    expect(await stored(engine)).toEqual(texts)
    await engine.close()
  })

  it('are removed when the last session ends', async () => {
    const home = temporaryHome()
    const engine = await testEngine(home)
    const run = await engine.open(specOf('lead-1'))
    await sayAll(run, 'one')
    expect(readdirSync(home.at('storage', 'wal'))).toHaveLength(1)
    await run.end({ kind: 'ended', outcome: 'completed' })
    while (existsSync(home.at('storage', 'leases', 'lead-1.lease')))
      await new Promise((resolve) => setImmediate(resolve))
    expect(readdirSync(home.at('storage', 'wal'))).toEqual([])
    await engine.close()
  })
})
