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

test('a replay writes the same keys and values', async () => {
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
    return [...state.values]
  }
  expect(await write()).toEqual(await write())
})
