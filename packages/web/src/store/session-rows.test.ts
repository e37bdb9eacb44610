import type { SessionRow } from '@cadre/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type RowCell, SessionRows } from './session-rows.ts'

const usage = { input: 0, output: 0 }

function rowOf(id: string, parent?: string, more: Partial<SessionRow> = {}): SessionRow {
  return {
    id,
    agent: 'a',
    ...(parent !== undefined && { parent }),
    root: 'r',
    depth: 0,
    state: 'working',
    work: 'w',
    created: id,
    updated: id,
    usage,
    subtree: { sessions: 1, calls: 0, waiting: 0, usage },
    seq: 1,
    ...more,
  }
}

function createRows() {
  const flushes: (() => void)[] = []
  const rows = new SessionRows({ schedule: (flush) => flushes.push(flush) })
  return { rows, flushes, flush: () => flushes.splice(0).forEach((flush) => void flush()) }
}

const shape = (cell: RowCell): unknown => ({ [cell.id]: cell.children.map(shape) })

test('applies any number of changes in one flush, and the last one counts', () => {
  const { rows, flushes, flush } = createRows()
  for (let seq = 1; seq <= 500; seq++) rows.put(rowOf('r', undefined, { seq, work: `w${seq}` }))
  expect(flushes).toHaveLength(1)
  flush()
  expect(rows.get('r')?.row.value.work).toBe('w500')
})

test('ignores a row that is not newer than the one it has', () => {
  const { rows, flush } = createRows()
  rows.put(rowOf('r', undefined, { seq: 5, work: 'new' }))
  flush()
  rows.put(rowOf('r', undefined, { seq: 5, work: 'again' }))
  rows.put(rowOf('r', undefined, { seq: 4, work: 'old' }))
  flush()
  expect(rows.get('r')?.row.value.work).toBe('new')
})

test('builds the same tree regardless of the order of the rows', () => {
  const parents: Record<string, string | undefined> = { r: undefined, a: 'r', b: 'r', c: 'a', d: 'a', e: 'd' }
  fc.assert(
    fc.property(
      fc.shuffledSubarray(Object.keys(parents), { minLength: 6 }),
      fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
      (order, flushAfter) => {
        const { rows, flush } = createRows()
        rows.openTree('r')
        order.forEach((id, at) => {
          rows.put(rowOf(id, parents[id]))
          if (flushAfter[at]) flush()
        })
        flush()
        expect(rows.roots.map(shape)).toEqual([{ r: [{ a: [{ c: [] }, { d: [{ e: [] }] }] }, { b: [] }] }])
      },
    ),
  )
})

test('does not keep rows of closed trees, and removes them when the last reader closes the tree', () => {
  const { rows, flush } = createRows()
  rows.put(rowOf('r'))
  rows.put(rowOf('a', 'r'))
  flush()
  expect(rows.size).toBe(1)
  rows.openTree('r')
  rows.openTree('r')
  rows.put(rowOf('a', 'r'))
  rows.put(rowOf('b', 'a'))
  flush()
  expect(rows.size).toBe(3)
  rows.closeTree('r')
  expect(rows.size).toBe(3)
  rows.closeTree('r')
  expect(rows.size).toBe(1)
  expect(rows.roots.map(shape)).toEqual([{ r: [] }])
})

test('a row that is waiting for its flush is removed with its tree', () => {
  const { rows, flush } = createRows()
  rows.openTree('r')
  rows.put(rowOf('r'))
  rows.put(rowOf('a', 'r'))
  rows.closeTree('r')
  flush()
  expect(rows.size).toBe(1)
})

test('holds new entry sessions back while it is frozen', () => {
  const { rows, flush } = createRows()
  rows.put(rowOf('r1'))
  flush()
  rows.freeze(true)
  rows.put(rowOf('r2'))
  rows.put(rowOf('r3'))
  flush()
  expect(rows.roots.map(({ id }) => id)).toEqual(['r1'])
  expect(rows.held.value).toBe(2)
  rows.release()
  expect(rows.roots.map(({ id }) => id)).toEqual(['r3', 'r2', 'r1'])
  expect(rows.held.value).toBe(0)
})

test('adds older entry sessions at the end, even while it is frozen', () => {
  const { rows, flush } = createRows()
  rows.put(rowOf('r2'))
  flush()
  rows.freeze(true)
  rows.put({ ...rowOf('r1'), created: '' })
  flush()
  expect(rows.roots.map(({ id }) => id)).toEqual(['r2', 'r1'])
  expect(rows.held.value).toBe(0)
})

test('lists an entry session that a person asks for, even while it is frozen', () => {
  const { rows, flush } = createRows()
  for (const id of ['r1', 'r5']) rows.put(rowOf(id))
  flush()
  rows.freeze(true)
  rows.put(rowOf('r3'))
  flush()
  expect(rows.held.value).toBe(1)
  rows.show(rowOf('r3'))
  rows.show(rowOf('r4'))
  flush()
  expect(rows.roots.map(({ id }) => id)).toEqual(['r5', 'r4', 'r3', 'r1'])
  expect(rows.held.value).toBe(0)
})

test('releases held entry sessions to their places, newest first', () => {
  const { rows, flush } = createRows()
  for (const id of ['r1', 'r4']) rows.put(rowOf(id))
  flush()
  rows.freeze(true)
  for (const id of ['r5', 'r2', 'r6']) rows.put(rowOf(id))
  flush()
  rows.release()
  expect(rows.roots.map(({ id }) => id)).toEqual(['r6', 'r5', 'r4', 'r2', 'r1'])
})

test('removes a session and all sessions below it', () => {
  const { rows, flush } = createRows()
  rows.openTree('r')
  for (const [id, parent] of [['r'], ['a', 'r'], ['b', 'a']] as const) rows.put(rowOf(id, parent))
  flush()
  rows.remove('a')
  flush()
  expect(rows.roots.map(shape)).toEqual([{ r: [] }])
  expect(rows.get('b')).toBeUndefined()
})

test('takes a session that names itself as its parent without an endless tree', () => {
  const { rows, flush } = createRows()
  rows.openTree('r')
  rows.put(rowOf('r'))
  rows.put(rowOf('x', 'x'))
  flush()
  expect(rows.roots.map(shape)).toEqual([{ r: [] }])
})
