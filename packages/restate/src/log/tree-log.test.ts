import type { SessionSpec } from '@cadre/core'
import { createFakeClock } from '@cadre/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Blobs } from '../blobs.ts'
import { Archive } from './archive.ts'
import { itemsOf } from './batch.ts'
import { TreeLog } from './tree-log.ts'

const spec = { id: 'lead-1', root: 'lead-1', limits: {}, created: 'now' } as unknown as SessionSpec

function memoryBlobs(): Blobs & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>()
  return {
    texts,
    async put(text) {
      const blob = `b${texts.size}`
      texts.set(blob, text)
      return { blob, parts: 1 }
    },
    get: async ({ blob }) => texts.get(blob) as string,
  }
}

function openLog(archive = new Archive(null), blobs = memoryBlobs()) {
  const log = new TreeLog({
    root: 'lead-1',
    archive,
    clock: createFakeClock(),
    blobs,
    read: async (_root, keys) => keys.map(() => null),
    fresh: 1_000,
    blobLimit: 100,
    goLive: () => {},
  })
  return { log, blobs, archive }
}

/** From now on the wall clock changes only by hand. */
function holdWallClock(): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

describe('an acknowledgement', () => {
  test('of a batch with long entries ends the state of being behind', async () => {
    const { log } = openLog()
    log.add({ t: 'open', spec })
    expect(log.isBehind).toBe(false)
    log.record('lead-1', [{ role: 'user', content: 'x'.repeat(5 << 20) }])
    expect(log.isBehind).toBe(true)
    log.keep(await log.take())
    expect(log.isBehind).toBe(false)
  })

  test('makes everything safe that was added before its batch', async () => {
    const { log } = openLog()
    log.add({ t: 'open', spec })
    const safe = log.safe()
    log.keep(await log.take())
    await safe
    expect(log.confirmed).toBe(0)
  })

  test('that took too long is confirmed by another batch before anyone acts on it', async () => {
    holdWallClock()
    const { log } = openLog()
    log.add({ t: 'open', spec })
    let isSafe = false
    const safe = log.safe().then(() => {
      isSafe = true
    })
    const batch = await log.take()
    // The process was suspended while the acknowledgement was in its socket.
    vi.setSystemTime(Date.now() + 5_000)
    log.keep(batch)
    const next = await log.take()
    expect(isSafe).toBe(false)
    expect(itemsOf(next)).toEqual([{ t: 'alive' }])
    log.keep(next)
    await safe
    expect(log.confirmed).toBe(1)
  })

  test('that never comes rejects what waits for it', async () => {
    const { log } = openLog()
    log.add({ t: 'open', spec })
    const safe = log.safe()
    log.die()
    await expect(safe).rejects.toMatchObject({ code: 'owned' })
    expect(() => log.add({ t: 'alive' })).toThrow('taken over')
    expect(log.lost.aborted).toBe(true)
  })
})

test('a later life reads what was written, with large texts from their blobs', async () => {
  const { log, blobs } = openLog()
  log.add({ t: 'open', spec })
  const long = 'x'.repeat(200)
  log.record('lead-1', [
    { role: 'user', content: 'short' },
    { role: 'tool_result', tool_call_id: 'c', content: long },
  ])
  const batch = await log.take()
  expect(new TextDecoder().decode(batch.bytes)).not.toContain(long)
  const archive = new Archive(null)
  const { log: next } = openLog(archive, blobs)
  for (const item of next.keep({ bytes: batch.bytes })) archive.apply(item)
  expect((await next.stored('lead-1'))?.entries.map(({ content }) => content)).toEqual(['short', long])
})

test('an edit that is too large for one journal entry is written in parts, and takes effect as a whole', async () => {
  const { log, blobs } = openLog()
  log.add({ t: 'open', spec })
  log.record('lead-1', [{ role: 'user', content: 'old' }])
  const before = await log.take()
  log.keep(before)
  const entries = Array.from({ length: 50_000 }, (_, n) => ({
    role: 'user' as const,
    content: `${n} ${'y'.repeat(90)}`,
    seq: n + 1,
    timestamp: 'now',
  }))
  log.add({ t: 'edit', id: 'lead-1', entries, summary: 'x' })
  const batches = [before]
  const safe = log.safe()
  const written = safe.then(() => true)
  while (!(await Promise.race([written, Promise.resolve(false)]))) {
    const batch = await log.take()
    batches.push(batch)
    log.keep(batch)
    await Promise.resolve()
  }
  expect(batches.length).toBeGreaterThan(2)
  for (const { bytes } of batches) expect(bytes.length).toBeLessThan(5 << 20)
  const read = async (some: typeof batches) => {
    const archive = new Archive(null)
    const { log: next } = openLog(archive, blobs)
    for (const { bytes } of some) for (const item of next.keep({ bytes })) archive.apply(item)
    return (await next.stored('lead-1'))?.entries
  }
  expect(await read(batches)).toEqual(entries)
  expect(await read(batches.slice(0, -1))).toMatchObject([{ content: 'old' }])
})

test('everything that changes the record is to be archived', () => {
  const { log } = openLog()
  const changes = [
    { t: 'open', spec },
    { t: 'add', id: 'lead-1', entries: [] },
    { t: 'edit', id: 'lead-1', entries: [], summary: 'x' },
    { t: 'end', id: 'lead-1', status: 'completed', outcome: null },
  ] as const
  for (const item of changes) {
    log.add(item)
    expect(log.isUnarchived, item.t).toBe(true)
    log.add({ t: 'archive' })
    log.add({ t: 'alive' })
    expect(log.isUnarchived, item.t).toBe(false)
  }
})
