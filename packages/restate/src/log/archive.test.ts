import type { Entry, SessionSpec } from '@cadre/core'
import { expect, test } from 'vitest'
import { Archive, type ArchiveHead, type ArchiveWriter, chunkKey, headKey } from './archive.ts'
import type { Packed } from './packed.ts'

const spec: Packed<SessionSpec> = [{ id: 'lead-1' } as SessionSpec]
const entry = (seq: number, size = 10): Packed<Entry> => [
  { role: 'user', content: 'x'.repeat(size), seq, timestamp: 'now' },
]

function memoryState(): ArchiveWriter & { readonly values: Map<string, string> } {
  const values = new Map<string, string>()
  return {
    values,
    set: (key, json) => void values.set(key, json),
    clear: (key) => void values.delete(key),
    get: async (key) => values.get(key) ?? null,
  }
}

const headOf = ({ values }: { values: Map<string, string> }): ArchiveHead =>
  JSON.parse(values.get(headKey) as string)

function entriesIn(state: { values: Map<string, string> }, id: string): number[] {
  const chunks = headOf(state).sessions[id]?.chunks ?? []
  return chunks.flatMap(([chunk]) =>
    (JSON.parse(state.values.get(chunkKey(chunk)) as string) as Packed<Entry>[]).map(
      ([one]) => (one as Entry).seq,
    ),
  )
}

test('chunks stay below 1 MB and keep the order of entries', async () => {
  const state = memoryState()
  const archive = new Archive(null)
  archive.apply({ t: 'open', id: 'lead-1', spec })
  const numbers = Array.from({ length: 50 }, (_, n) => n + 1)
  archive.apply({ t: 'add', id: 'lead-1', entries: numbers.map((seq) => entry(seq, 60_000)) })
  await archive.write(state)
  expect(entriesIn(state, 'lead-1')).toEqual(numbers)
  for (const value of state.values.values()) expect(Buffer.byteLength(value)).toBeLessThan(1_000_000)
})

test('short additions are merged, so that many short lives do not leave many chunks', async () => {
  const state = memoryState()
  for (let seq = 1; seq <= 30; seq++) {
    const archive = new Archive(seq === 1 ? null : headOf(state))
    archive.apply({ t: 'open', id: 'lead-1', spec })
    archive.apply({ t: 'add', id: 'lead-1', entries: [entry(seq)] })
    await archive.write(state)
  }
  const chunks = headOf(state).sessions['lead-1']?.chunks ?? []
  expect(chunks.length).toBeLessThan(6)
  expect(entriesIn(state, 'lead-1')).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))
  expect([...state.values.keys()].filter((key) => key.startsWith('log/'))).toHaveLength(chunks.length)
})

test('a running tree that is archived often does not write its record again each time', async () => {
  const state = memoryState()
  let written = 0
  const counting = {
    ...state,
    set: (key: string, json: string) => {
      if (key.startsWith('log/')) written += json.length
      state.set(key, json)
    },
  }
  const archive = new Archive(null)
  archive.apply({ t: 'open', id: 'lead-1', spec })
  for (let seq = 1; seq <= 100; seq++) {
    archive.apply({ t: 'add', id: 'lead-1', entries: [entry(seq, 500)] })
    await archive.write(counting)
  }
  const size = (headOf(state).sessions['lead-1']?.chunks ?? []).reduce((sum, [, length]) => sum + length, 0)
  expect(written).toBeLessThan(6 * size)
  expect(entriesIn(state, 'lead-1')).toHaveLength(100)
  // It does not keep the chunks that were replaced.
  expect(archive.written.size).toBe(headOf(state).sessions['lead-1']?.chunks.length)
})

test('names the sessions that are new with each write', async () => {
  const state = memoryState()
  const archive = new Archive(null)
  archive.apply({ t: 'open', id: 'lead-1', spec })
  expect(await archive.write(state)).toEqual(['lead-1'])
  archive.apply({ t: 'open', id: 'worker-1', spec })
  archive.apply({ t: 'open', id: 'lead-1', spec })
  expect(await archive.write(state)).toEqual(['worker-1'])
  expect(await archive.write(state)).toEqual([])
})

test('the first life of an invocation decides whether the commands of older code are repeated', () => {
  const owner = { host: 'a' } as never
  const old = new Archive(null)
  old.apply({ t: 'life', owner })
  old.apply({ t: 'life', owner, format: 2 })
  expect(old.isOld).toBe(true)
  const current = new Archive(null)
  current.apply({ t: 'life', owner, format: 2 })
  expect(current.isOld).toBe(false)
})

test('an edit replaces the record, and its old chunks are removed', async () => {
  const state = memoryState()
  const first = new Archive(null)
  first.apply({ t: 'open', id: 'lead-1', spec })
  first.apply({ t: 'add', id: 'lead-1', entries: [entry(1), entry(2), entry(3)] })
  await first.write(state)
  const second = new Archive(headOf(state))
  second.apply({ t: 'edit', id: 'lead-1', entries: [entry(1)], summary: 'x', spec: null })
  await second.write(state)
  expect(entriesIn(state, 'lead-1')).toEqual([1])
  expect([...state.values.keys()].filter((key) => key.startsWith('log/'))).toHaveLength(1)
  expect(headOf(state).version).toBe(2)
})

test('a replay writes the same keys and values, and counts them', async () => {
  const before = { version: 3, next: 7, sessions: {} }
  const write = async () => {
    const state = memoryState()
    const archive = new Archive(before)
    archive.apply({ t: 'open', id: 'lead-1', spec })
    archive.apply({ t: 'add', id: 'lead-1', entries: [entry(1)] })
    await archive.write(state)
    archive.apply({ t: 'end', id: 'lead-1', status: 'completed', outcome: 'completed' })
    archive.apply({ t: 'add', id: 'lead-1', entries: [entry(2)] })
    await archive.write(state)
    return { values: [...state.values], bytes: archive.bytes }
  }
  const first = await write()
  expect(await write()).toEqual(first)
  // The chunk that was replaced was written, too.
  expect(first.bytes).toBeGreaterThan(first.values.reduce((sum, [, json]) => sum + json.length, 0))
})
