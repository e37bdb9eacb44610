import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import type { EarlierLives } from '@cadre/core'
import { heartbeatLimit, thisProcess } from '@cadre/disk'
import { Leases } from '@cadre/home'
import { createFakeClock } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { specOf } from '../format/journal.spec-helpers.ts'
import { dead, say, temporaryHome, testEngine } from './engine.spec-helpers.ts'

describe('a tree of sessions', () => {
  it('runs in one process, and another process gets an error that names it', async () => {
    const home = temporaryHome()
    const first = await testEngine(home)
    const second = await testEngine(home)
    const run = await first.open(specOf('lead-1'))
    await say(run, 'one')
    const opening = second.open(specOf('worker-1', { root: 'lead-1' }))
    await expect(opening).rejects.toMatchObject({
      code: 'owned',
      message: expect.stringContaining(`process ${process.pid} `),
    })
    await expect(second.open(specOf('lead-1'))).rejects.toMatchObject({ code: 'owned' })
    await second.open(specOf('lead-2'))
    await run.end({ kind: 'ended', outcome: 'completed' })
    await first.close()
    await say(await second.open(specOf('lead-1')), 'two')
    await second.close()
    expect(readdirSync(home.at('storage', 'leases'))).toEqual([])
  })

  it('keeps its lease until all of its sessions are closed', async () => {
    const home = temporaryHome()
    const engine = await testEngine(home)
    const lead = await engine.open(specOf('lead-1'))
    const worker = await engine.open(specOf('worker-1', { root: 'lead-1' }))
    await worker.end({ kind: 'ended', outcome: 'completed' })
    const other = await testEngine(home)
    await expect(other.open(specOf('lead-1'))).rejects.toMatchObject({ code: 'owned' })
    await lead.end({ kind: 'suspended', questions: [] })
    const again = await engine.open(specOf('worker-1', { root: 'lead-1' }))
    await say(again, 'more')
    await expect(other.open(specOf('lead-1'))).rejects.toMatchObject({ code: 'owned' })
    await engine.close()
    await other.open(specOf('lead-1'))
    await other.close()
  })

  it.each([
    ['has died', { identity: dead }],
    ['ran before the machine was started', { identity: { boot: 'before' } }],
    ['has another one’s process id now', { identity: { start: '1' } }],
  ])('is taken over from a process that %s', async (_, options) => {
    const home = temporaryHome()
    const first = await testEngine(home, options)
    await say(await first.open(specOf('lead-1')), 'one', true)
    const second = await testEngine(home)
    const run = await second.open(specOf('lead-1'))
    expect(run.recorded).toHaveLength(1)
    await second.close()
    expect(readdirSync(home.at('storage', 'leases'))).toEqual([])
  })

  it('of another machine is taken over after a long time without a heartbeat', async () => {
    const home = temporaryHome()
    const first = await testEngine(home, { identity: { host: 'elsewhere' } })
    await first.open(specOf('lead-1'))
    const second = await testEngine(home)
    await expect(second.open(specOf('lead-1'))).rejects.toMatchObject({ code: 'owned' })
    const silent = (Date.now() - heartbeatLimit - 1000) / 1000
    utimesSync(home.at('storage', 'leases', 'lead-1.lease'), silent, silent)
    await second.open(specOf('lead-1'))
    await second.close()
  })

  /** Takes the tree from a process on another machine, which may not have noticed yet. */
  async function takeFromElsewhere(home: ReturnType<typeof temporaryHome>, options = {}) {
    const first = await testEngine(home, { identity: { host: 'elsewhere' } })
    await say(await first.open(specOf('lead-1')), 'one', true)
    const silent = (Date.now() - heartbeatLimit - 1000) / 1000
    utimesSync(home.at('storage', 'leases', 'lead-1.lease'), silent, silent)
    const second = await testEngine(home, options)
    const run = await second.open(specOf('lead-1'))
    await say(run, 'two', true)
    return { second, run }
  }

  /** Opens the tree in a new process. Returns the state of its `alone` before and after the clock moves. */
  async function openNext(home: ReturnType<typeof temporaryHome>, options = {}) {
    const clock = createFakeClock()
    const engine = await testEngine(home, { ...options, clock })
    const run = await engine.open(specOf('lead-1'))
    let alone: EarlierLives | undefined
    const waiting = run.alone.then((lives) => (alone = lives))
    await new Promise(setImmediate)
    const before = alone
    clock.advance(heartbeatLimit)
    await waiting
    return { engine, before, after: alone }
  }

  it('that is released right after a takeover still makes the next process wait', async () => {
    const home = temporaryHome()
    const { second, run } = await takeFromElsewhere(home)
    await run.end({ kind: 'suspended', questions: [] })
    await second.close()
    const next = await openNext(home)
    expect(next).toMatchObject({ before: undefined, after: 'elsewhere' })
    await next.engine.close()
    // That process has waited, so the one after it does not wait again.
    const last = await openNext(home)
    expect(last).toMatchObject({ before: 'here' })
    await last.engine.close()
  })

  it('whose new process dies right after a takeover still makes the next process wait', async () => {
    const home = temporaryHome()
    await takeFromElsewhere(home, { identity: dead })
    const next = await openNext(home)
    expect(next).toMatchObject({ before: undefined, after: 'elsewhere' })
    await next.engine.close()
  })

  it('that was taken over long ago makes nobody wait', async () => {
    const home = temporaryHome()
    const { second } = await takeFromElsewhere(home)
    await second.close()
    const mark = home.at('storage', 'leases', 'lead-1.lease.taken-over')
    const old = (Date.now() - 3 * heartbeatLimit) / 1000
    utimesSync(mark, old, old)
    const next = await openNext(home)
    expect(next).toMatchObject({ before: 'here' })
    await next.engine.close()
    expect(existsSync(mark)).toBe(false)
  })
})

describe('a lease', () => {
  const leasesOf = (home: ReturnType<typeof temporaryHome>, identity = {}) =>
    new Leases(home, thisProcess(identity))

  it('whose new holder died during the takeover goes to exactly one process', () => {
    const home = temporaryHome()
    const gone = leasesOf(home, dead)
    gone.acquire('lead-1')
    const path = home.at('storage', 'leases', 'lead-1.lease')
    const token = JSON.parse(readFileSync(path, 'utf8')).token
    // A second process had started a takeover, and died as well.
    writeFileSync(`${path}.${token}.takeover`, JSON.stringify(thisProcess({ ...dead, token: 'second' })))
    const third = leasesOf(home)
    expect(third.acquire('lead-1')).toBe(true)
    expect(() => leasesOf(home).acquire('lead-1')).toThrow('is already running in process')
    third.close()
    expect(readdirSync(home.at('storage', 'leases')).filter((name) => name.includes('takeover'))).toEqual([])
    expect(existsSync(path)).toBe(false)
  })

  it('is not taken over while another process is taking it over', () => {
    const home = temporaryHome()
    leasesOf(home, dead).acquire('lead-1')
    const path = home.at('storage', 'leases', 'lead-1.lease')
    const token = JSON.parse(readFileSync(path, 'utf8')).token
    writeFileSync(`${path}.${token}.takeover`, JSON.stringify(thisProcess()))
    expect(() => leasesOf(home).acquire('lead-1')).toThrow('is already running in process')
  })

  /** Leaves the lease of a process on another machine that has been silent for long. */
  function silentElsewhere(home: ReturnType<typeof temporaryHome>) {
    leasesOf(home, { host: 'elsewhere' }).acquire('lead-1')
    const silent = (Date.now() - heartbeatLimit - 1000) / 1000
    const path = home.at('storage', 'leases', 'lead-1.lease')
    utimesSync(path, silent, silent)
    return path
  }

  it.each([
    ['a link to a file', (mark: string, file: string) => symlinkSync(file, mark)],
    ['a broken link', (mark: string) => symlinkSync('nowhere', mark)],
    ['a link to itself', (mark: string) => symlinkSync(mark, mark)],
    ['a folder', (mark: string) => mkdirSync(mark)],
  ])('is taken over if the note of the takeover is %s', (_, create) => {
    const home = temporaryHome()
    const path = silentElsewhere(home)
    const file = home.at('file')
    writeFileSync(file, 'text')
    create(`${path}.taken-over`, file)
    const leases = leasesOf(home)
    expect(leases.acquire('lead-1')).toBe(true)
    expect(leases.noticeDelay('lead-1')).toBeGreaterThan(0)
    leases.close()
    const next = leasesOf(home)
    next.acquire('lead-1')
    expect(next.noticeDelay('lead-1')).toBeGreaterThan(0)
    next.close()
    expect(readFileSync(file, 'utf8')).toBe('text')
    expect(readdirSync(home.at('storage', 'leases'))).not.toContain('nowhere')
  })

  it('is not affected by files of others in its folder', () => {
    const home = temporaryHome()
    const folder = home.folder('storage', 'leases')
    symlinkSync('/dev/zero', `${folder}/one.process`)
    mkdirSync(`${folder}/two.process`)
    symlinkSync(`${folder}/one.lease.taken-over`, `${folder}/one.lease.taken-over`)
    mkdirSync(`${folder}/two.lease.taken-over`)
    utimesSync(`${folder}/two.lease.taken-over`, 1, 1)
    const leases = leasesOf(home)
    expect(leases.acquire('lead-1')).toBe(true)
    leases.close()
  })

  it('can be taken over after a takeover has failed', () => {
    const home = temporaryHome()
    const path = silentElsewhere(home)
    const leases = leasesOf(home, { token: 'second' })
    mkdirSync(`${path}.second`)
    expect(() => leases.acquire('lead-1')).toThrow('ENOTDIR')
    expect(readdirSync(home.at('storage', 'leases')).filter((name) => name.endsWith('.takeover'))).toEqual([])
    rmdirSync(`${path}.second`)
    const third = leasesOf(home)
    expect(third.acquire('lead-1')).toBe(true)
    third.close()
  })

  it('can be taken again if this process could not remove it', () => {
    const home = temporaryHome()
    const path = `${home.folder('storage', 'leases')}/lead-1.lease`
    // As after a release on a disk that was read-only for a moment.
    writeFileSync(path, JSON.stringify(thisProcess({ token: 'own' })))
    const leases = leasesOf(home, { token: 'own' })
    expect(leases.acquire('lead-1')).toBe(true)
    leases.close()
    expect(readdirSync(home.at('storage', 'leases'))).toEqual([])
  })

  it('that is incompletely written is respected for a while', () => {
    const home = temporaryHome()
    const path = `${home.folder('storage', 'leases')}/lead-1.lease`
    writeFileSync(path, '')
    expect(() => leasesOf(home).acquire('lead-1')).toThrow('is already running in process')
    utimesSync(path, 1, 1)
    const leases = leasesOf(home)
    expect(leases.acquire('lead-1')).toBe(true)
    leases.close()
  })
})
