import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { SessionFacts } from './session-facts.ts'
import { createSessionIndex, type SessionIndex } from './session-index.ts'

function factsOf(id: string, changes: Partial<SessionFacts> = {}): SessionFacts {
  return {
    id,
    agent: 'lead',
    root: id,
    depth: 0,
    state: 'working',
    work: `Work of ${id}`,
    created: '2026-11-15T10:00:00.000Z',
    updated: '2026-11-15T10:00:00.000Z',
    usage: { input: 1, output: 1 },
    spent: { tokens: 2, cost: 0, calls: 1 },
    calls: 1,
    questions: new Map(),
    asked: 0,
    ...changes,
  }
}

function testIndex(): SessionIndex & { readonly changed: Set<string>; readonly removed: string[] } {
  const changed = new Set<string>()
  const removed: string[] = []
  const index = createSessionIndex({
    changed: (id) => void changed.add(id),
    removed: (id) => void removed.push(id),
  })
  return { ...index, changed, removed }
}

it('computes the totals of a subtree, and marks every ancestor of a waiting session', () => {
  const index = testIndex()
  index.set(factsOf('root', { budget: { tokens: 1000 } }))
  index.set(factsOf('child', { parent: 'root' }))
  index.set(factsOf('leaf', { parent: 'child', usage: { input: 10, output: 5, cost: 0.5 } }))
  index.changed.clear()
  index.change('leaf', (facts) => void facts.questions.set('approval/1', '1'))
  expect([...index.changed]).toEqual(['leaf', 'child', 'root'])
  expect(index.row('root')?.subtree).toEqual({
    sessions: 3,
    calls: 3,
    waiting: 1,
    usage: { input: 12, output: 7, cost: 0.5 },
    budget: { tokens: 1000 },
    spent: { tokens: 6, cost: 0, calls: 3 },
  })
  expect(index.row('leaf')).toMatchObject({ root: 'root', parent: 'child' })
})

it('counts a task in the budget of the session that created it, and nowhere else in its subtree', () => {
  const index = testIndex()
  index.set(factsOf('root', { budget: { tokens: 1000 } }))
  index.set(factsOf('child', { parent: 'root' }))
  index.set(factsOf('task', { payer: 'child' }))
  index.changed.clear()
  index.change('task', (facts) => {
    facts.spent = { tokens: 500, cost: 0.25, calls: 2 }
  })
  expect([...index.changed]).toEqual(['task', 'child', 'root'])
  expect(index.row('root')?.subtree).toMatchObject({
    sessions: 2,
    spent: { tokens: 504, cost: 0.25, calls: 4 },
  })
  expect(index.row('task')?.root).toBe('task')
})

it('says where the decision is that a suspended session waits for, and not what it did before', () => {
  const index = testIndex()
  const before = { state: 'waiting', doing: 'asks the model' } as const
  index.set(factsOf('root', before))
  index.set(factsOf('child', { ...before, parent: 'root' }))
  index.set(factsOf('other', before))
  index.change('child', (facts) => void facts.questions.set('approval/1', '1'))
  expect(index.row('root')?.doing).toBe('is waiting for a decision in a child session')
  expect(index.row('child')?.doing).toBe('is waiting for a decision')
  expect(index.row('other')?.doing).toBeUndefined()
})

it('places a session correctly when its parent appears later', () => {
  const index = testIndex()
  index.set(factsOf('leaf', { parent: 'child' }))
  expect(index.list({ roots: true }, 10).items.map(({ id }) => id)).toEqual(['leaf'])
  index.set(factsOf('child', { parent: 'root' }))
  index.set(factsOf('root'))
  expect(index.list({ roots: true }, 10).items.map(({ id }) => id)).toEqual(['root'])
  expect(index.tree('root').map(({ id }) => id)).toEqual(['root', 'child', 'leaf'])
  index.remove('child')
  expect(index.tree('root').map(({ id }) => id)).toEqual(['root'])
  expect(index.removed).toEqual(['child'])
  index.set(factsOf('child', { parent: 'root' }))
  expect(index.tree('root').map(({ id }) => id)).toEqual(['root', 'child', 'leaf'])
})

it('accepts headers that place a session below itself', () => {
  const index = testIndex()
  index.set(factsOf('a', { parent: 'b' }))
  index.set(factsOf('b', { parent: 'a' }))
  index.set(factsOf('c', { parent: 'c' }))
  expect(index.ids().length).toBe(3)
  expect(index.list({ roots: true }, 10).items.length).toBeGreaterThan(0)
  for (const id of ['a', 'b', 'c']) expect(index.row(id)?.subtree.sessions).toBeGreaterThan(0)
})

it('filters and paginates while rows move', () => {
  const index = testIndex()
  for (let number = 0; number < 10; number++)
    index.set(
      factsOf(`s${number}`, {
        updated: `2026-11-15T10:00:0${number}.000Z`,
        agent: number % 2 ? 'odd' : 'even',
      }),
    )
  const first = index.list({}, 4)
  expect(first.items.map(({ id }) => id)).toEqual(['s9', 's8', 's7', 's6'])
  // A row of the first page and one of the next move to the front.
  index.change('s8', (facts) => void Object.assign(facts, { updated: '2026-11-15T10:00:10.000Z' }))
  index.change('s4', (facts) => void Object.assign(facts, { updated: '2026-11-15T10:00:11.000Z' }))
  const second = index.list({}, 4, first.next)
  expect(second.items.map(({ id }) => id)).toEqual(['s5', 's3', 's2', 's1'])
  const third = index.list({}, 4, second.next)
  expect([third.items.map(({ id }) => id), third.next]).toEqual([['s0'], undefined])
  expect(
    index.list({ agent: 'odd', since: '2026-11-15T10:00:05.000Z' }, 9).items.map(({ id }) => id),
  ).toEqual(['s9', 's7', 's5'])
  expect(index.list({ text: 'WORK OF S3' }, 9).items.map(({ id }) => id)).toEqual(['s3'])
  expect(() => index.list({}, 4, 'nonsense')).toThrow('is not a position in this list')
})

it('has the same totals as a full recount after any changes, and a new version after each', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
  const step = fc.record({
    what: fc.constantFrom('set', 'set', 'use', 'remove'),
    id: ids,
    parent: fc.option(ids),
    by: fc.nat(9),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const index = testIndex()
      const shown = () => JSON.stringify(index.list({}, 100))
      for (const { what, id, parent, by } of steps) {
        const [rows, version] = [shown(), index.version()]
        if (what === 'set') index.set(factsOf(id, { calls: by, ...(parent !== null && { parent }) }))
        else if (what === 'remove') index.remove(id)
        else
          index.change(id, (facts) => {
            facts.calls += by
          })
        // Reads between changes, so that totals are cached and must be updated.
        index.row(id)
        if (shown() !== rows) expect(index.version()).toBeGreaterThan(version)
      }
      for (const { id, subtree } of index.list({}, 100).items) {
        const below = index.tree(id)
        expect(subtree.sessions).toBe(below.length)
        expect(subtree.calls).toBe(below.reduce((sum, row) => sum + (index.facts(row.id)?.calls ?? 0), 0))
      }
    }),
    { numRuns: process.env['CADRE_DEEP'] ? 5000 : 300, seed: Number(process.env['CADRE_SEED'] ?? 1) },
  )
})
