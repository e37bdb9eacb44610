import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, describe, expect, it } from 'vitest'
import { specOf } from '../format/journal.spec-helpers.ts'
import { pathOf, said, say, temporaryHome, testEngine, textOf } from './engine.spec-helpers.ts'

const real = { fdatasync: fs.fdatasync, fsync: fs.fsync, writeSync: fs.writeSync }

/** Replaces a function of the file system for all modules. */
function replace(functions: Partial<Record<keyof typeof real, unknown>>): void {
  Object.assign(fs, functions)
  syncBuiltinESMExports()
}

afterEach(() => replace(real))

describe('a durable step', () => {
  it('waits for a sync that began after its entries were written; others do not', async () => {
    const engine = await testEngine(temporaryHome())
    const run = await engine.open(specOf('lead-1'))
    await say(run, 'zero', true)
    const syncs: (() => void)[] = []
    replace({
      fdatasync: (file: number, done: fs.NoParamCallback) => syncs.push(() => real.fdatasync(file, done)),
    })
    const ended: string[] = []
    const durable = (text: string) => say(run, text, true).then(() => ended.push(text))
    const first = durable('first')
    await say(run, 'quick')
    const second = durable('second')
    await say(run, 'quick again')
    expect(ended).toEqual([])
    expect(syncs).toHaveLength(1)
    syncs[0]?.()
    await first
    expect(ended).toEqual(['first'])
    expect(syncs).toHaveLength(2)
    syncs[1]?.()
    await second
    expect(said((await engine.read('lead-1'))?.entries)).toEqual([
      'zero',
      'first',
      'quick',
      'second',
      'quick again',
    ])
    replace(real)
    await engine.close()
  })

  it('shares its sync with all sessions of the process', async () => {
    const engine = await testEngine(temporaryHome())
    const runs = await Promise.all(
      Array.from({ length: 200 }, (_, index) => engine.open(specOf(`worker-${index}`, { root: 'lead-1' }))),
    )
    let syncs = 0
    replace({
      fdatasync: (file: number, done: fs.NoParamCallback) => {
        syncs++
        real.fdatasync(file, done)
      },
    })
    await Promise.all(runs.map((run) => say(run, 'one', true)))
    expect(syncs).toBe(1)
    replace(real)
    await engine.close()
  })

  it('is rejected if the sync fails', async () => {
    const engine = await testEngine(temporaryHome())
    const run = await engine.open(specOf('lead-1'))
    replace({ fdatasync: (_: number, done: fs.NoParamCallback) => done(new Error('the disk is broken')) })
    await expect(say(run, 'one', true)).rejects.toThrow('the disk is broken')
    await say(run, 'two')
    replace(real)
    await say(run, 'three', true)
    await engine.close()
  })
})

it('keeps a lease if its tree is entered again before its files are synced', async () => {
  const home = temporaryHome()
  const engine = await testEngine(home)
  const run = await engine.open(specOf('lead-1'))
  await say(run, 'one')
  const syncs: (() => void)[] = []
  replace({ fsync: (file: number, done: fs.NoParamCallback) => syncs.push(() => real.fsync(file, done)) })
  await run.end({ kind: 'suspended', questions: [] })
  const again = await engine.open(specOf('lead-1'))
  await say(again, 'two')
  for (let turn = 0; turn < 200; turn++) {
    for (const sync of syncs.splice(0)) sync()
    await new Promise((resolve) => setImmediate(resolve))
  }
  replace(real)
  expect(fs.existsSync(home.at('storage', 'leases', 'lead-1.lease'))).toBe(true)
  await say(again, 'three', true)
  await engine.close()
  expect(fs.readdirSync(home.at('storage', 'leases'))).toEqual([])
})

describe('a file that is replaced between the check and the write', () => {
  const mine = '  - role: user\n    content: mine\n'

  /** Runs `happen` just before or after the next write to a file of this session. */
  function around(path: string, when: 'before' | 'after', happen: () => void): void {
    const { ino } = fs.statSync(path)
    replace({
      writeSync: (file: number, bytes: Buffer, offset: number, length: number, position: number) => {
        const isIt = fs.fstatSync(file).ino === ino
        if (isIt) replace(real)
        if (isIt && when === 'before') happen()
        const written = real.writeSync(file, bytes, offset, length, position)
        if (isIt && when === 'after') happen()
        return written
      },
    })
  }

  it.each(['before', 'after'] as const)(
    '%s it was written loses nothing, and repeats nothing',
    async (when) => {
      const home = temporaryHome()
      const engine = await testEngine(home)
      const run = await engine.open(specOf('lead-1'))
      await say(run, 'one')
      const path = pathOf(home, 'lead-1')
      const renameOver = () => {
        fs.writeFileSync(`${path}.swap`, textOf(home, 'lead-1') + mine)
        fs.renameSync(`${path}.swap`, path)
      }
      around(path, when, renameOver)
      const entry = await say(run, 'two')
      const stored = (await engine.read('lead-1'))?.entries ?? []
      expect(said(stored).filter((text) => text === 'two')).toHaveLength(1)
      expect(said(stored)).toContain('mine')
      expect(stored).toContainEqual(entry)
      expect(said(run.changes()?.entries)).toContain('mine')
      await engine.close()
    },
  )

  it('or appended to right after it', async () => {
    const home = temporaryHome()
    const engine = await testEngine(home)
    const run = await engine.open(specOf('lead-1'))
    await say(run, 'one')
    const path = pathOf(home, 'lead-1')
    around(path, 'after', () => fs.appendFileSync(path, mine))
    await say(run, 'two')
    expect(said((await engine.read('lead-1'))?.entries)).toEqual(['one', 'two', 'mine'])
    await engine.close()
  })

  it('or removed', async () => {
    const home = temporaryHome()
    const engine = await testEngine(home)
    const run = await engine.open(specOf('lead-1'))
    await say(run, 'one')
    const path = pathOf(home, 'lead-1')
    around(path, 'before', () => fs.rmSync(path))
    await say(run, 'two')
    expect(said((await engine.read('lead-1'))?.entries)).toEqual(['one', 'two'])
    await engine.close()
  })
})
