import fc from 'fast-check'
import { expect, test } from 'vitest'
import { criticalPath } from './critical-path.ts'
import type { Segment } from './segments.ts'

const segment = (session: string, name: string, from: number, to: number, child?: string): Segment => ({
  id: `${session}/${name}`,
  session,
  kind: 'call',
  label: name,
  from,
  to,
  isOpen: false,
  ...(child !== undefined && { child }),
})

test('follows the segment that ended last, into the session that it started', () => {
  const tree: Record<string, Segment[]> = {
    r: [
      segment('r', 'ask', 0, 10),
      segment('r', 'fast', 10, 20, 'a'),
      segment('r', 'slow', 10, 50, 'b'),
      segment('r', 'end', 50, 60),
    ],
    a: [segment('a', 'x', 11, 19)],
    b: [segment('b', 'ask', 11, 15), segment('b', 'side', 15, 20), segment('b', 'test', 15, 49)],
  }
  expect([...criticalPath((id) => tree[id] ?? [], 'r')].sort()).toEqual([
    'b/ask',
    'b/test',
    'r/ask',
    'r/end',
    'r/slow',
  ])
})

test('follows sessions that go on after the call that started them has returned', () => {
  const tree: Record<string, Segment[]> = {
    r: [
      segment('r', 'ask', 0, 10),
      segment('r', 'start', 10, 11, 'a'),
      segment('r', 'other', 11, 20),
      segment('r', 'end', 90, 95),
    ],
    a: [segment('a', 'ask', 11, 30), segment('a', 'start', 30, 31, 'b')],
    b: [segment('b', 'wait', 32, 90)],
  }
  expect([...criticalPath((id) => tree[id] ?? [], 'r')].sort()).toEqual([
    'a/ask',
    'a/start',
    'b/wait',
    'r/ask',
    'r/end',
    'r/start',
  ])
})

test('ends in a tree whose sessions name each other', () => {
  const tree: Record<string, Segment[]> = {
    r: [segment('r', 'x', 0, 10, 'a')],
    a: [segment('a', 'y', 0, 10, 'r')],
  }
  expect([...criticalPath((id) => tree[id] ?? [], 'r')]).toEqual(['r/x', 'a/y'])
})

test('segments on the path never overlap within a session', () => {
  const times = fc.array(fc.tuple(fc.nat(100), fc.integer({ min: 1, max: 40 })), { maxLength: 15 })
  fc.assert(
    fc.property(times, (list) => {
      const segments = list.map(([from, length], at) => segment('r', String(at), from, from + length))
      const path = criticalPath(() => segments, 'r')
      const chosen = segments.filter(({ id }) => path.has(id)).sort((a, b) => a.from - b.from)
      for (const [at, one] of chosen.entries())
        if (at > 0) expect(one.from).toBeGreaterThanOrEqual((chosen[at - 1] as Segment).to)
      if (segments.length > 0)
        expect(Math.max(...chosen.map(({ to }) => to))).toBe(Math.max(...segments.map(({ to }) => to)))
    }),
  )
})
