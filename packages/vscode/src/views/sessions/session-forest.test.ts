import { expect, test } from 'vitest'
import { buildForest, type ListedSession } from './session-forest.ts'

const entry = (id: string, created: number, parent?: string): ListedSession => ({
  id,
  agent: 'a',
  status: 'completed',
  created: new Date(created).toISOString(),
  updated: '',
  ...(parent !== undefined && { parent }),
})

test('has entry sessions, newest first, and children in order of their start, to any depth', () => {
  const { roots, children, rootOf } = buildForest([
    entry('b2', 6, 'b'),
    entry('a', 1),
    entry('b', 4),
    entry('b1', 5, 'b'),
    entry('b11', 7, 'b1'),
    entry('c', 4),
  ])
  expect(roots).toEqual(['c', 'b', 'a'])
  expect(children.get('b')).toEqual(['b1', 'b2'])
  expect(children.get('b1')).toEqual(['b11'])
  expect(children.has('a')).toBe(false)
  expect(rootOf('b11')).toBe('b')
})

test('has every session once, even if the parent is missing or sessions form a cycle', () => {
  const { roots, children } = buildForest([
    entry('orphan', 1, 'gone'),
    entry('self', 2, 'self'),
    entry('x', 3, 'z'),
    entry('y', 4, 'x'),
    entry('z', 5, 'y'),
    entry('below', 6, 'z'),
  ])
  const reached = [...roots]
  for (const id of reached) reached.push(...(children.get(id) ?? []))
  expect(reached.toSorted()).toEqual(['below', 'orphan', 'self', 'x', 'y', 'z'])
})

test('is built quickly for a very long chain of sessions', () => {
  const line = Array.from({ length: 20_000 }, (_, n) => entry(`s${n}`, n, n === 0 ? undefined : `s${n - 1}`))
  const { roots, rootOf } = buildForest(line)
  expect(roots).toEqual(['s0'])
  expect(rootOf('s19999')).toBe('s0')
})
