import { expect, onTestFinished, test } from 'vitest'
import type { TreeResult, TreeState } from '../tree-order.ts'
import type { Changes, ChangesQuery } from '../worker/handlers.ts'
import { TreeWatch } from './tree-watch.ts'

const never = Number.POSITIVE_INFINITY
const result: TreeResult = { kind: 'continued' }

/** Node.js 20 does not have `Promise.withResolvers`. */
function withResolvers() {
  let resolve: () => void = () => {}
  const promise = new Promise<void>((onResolve) => {
    resolve = onResolve
  })
  return { promise, resolve }
}

/** A place whose directory the test answers by hand. */
function openPlace({ compareInterval = never } = {}) {
  const trees = new Map<string, { version: number; state: TreeState }>()
  const queries: ChangesQuery[] = []
  const looked: string[] = []
  const reported: string[] = []
  let answer: (changes: Changes) => void = () => {}
  const asked = { next: withResolvers() }
  const watch = new TreeWatch({
    directory: {
      changes: (query) =>
        new Promise((resolve, reject) => {
          queries.push(query)
          answer = (changes) => (changes.seq < 0 ? reject(new Error('down')) : resolve(changes))
          asked.next.resolve()
        }),
    },
    async look(root) {
      looked.push(root)
      return trees.get(root) ?? { version: 0, state: { kind: 'absent' } }
    },
    interval: 0,
    compareInterval,
  })
  watch.onRest((root) => reported.push(`${root} rests`))
  watch.onChange((root) => reported.push(`${root} changed`))
  onTestFinished(() => watch.close())
  return {
    watch,
    queries,
    looked,
    reported,
    put: (root: string, version: number, state: TreeState) => trees.set(root, { version, state }),
    /** Answers the request that is under way, and resolves when the next one is. */
    async answer(seq: number, roots: readonly string[] | null): Promise<void> {
      await asked.next.promise
      asked.next = withResolvers()
      answer({ seq, roots })
      await asked.next.promise
    },
  }
}

const running: TreeState = { kind: 'running' }
const rested: TreeState = { kind: 'rested', result }

test('one request waits for all trees, and only trees that have changed are read', async () => {
  const { watch, put, answer, looked, queries, reported } = openPlace()
  for (const root of ['a', 'b', 'c']) {
    put(root, 1, running)
    watch.watch(root, 1)
  }
  await answer(7, null)
  looked.length = 0
  put('b', 2, running)
  await answer(8, ['b', 'unknown'])
  put('c', 2, rested)
  await answer(9, ['c'])
  expect(looked).toEqual(['b', 'c'])
  expect(reported).toEqual(['b changed', 'c rests'])
  expect(queries.map(({ since }) => since)).toEqual([null, 7, 8, 9])
})

test('a repeated hint is reported once', async () => {
  const { watch, put, answer, reported } = openPlace()
  watch.watch('a', 1)
  watch.watch('b', 0)
  put('a', 2, running)
  await answer(1, null)
  await answer(2, ['a'])
  put('a', 3, rested)
  await answer(3, ['a'])
  await answer(4, ['a'])
  expect(reported).toEqual(['a changed', 'a rests'])
})

test('all trees are compared if the directory has forgotten changes, and after a failed request', async () => {
  const { watch, put, answer, reported } = openPlace()
  watch.watch('a', 1)
  watch.watch('b', 1)
  await answer(5, null)
  put('a', 2, rested)
  await answer(500, null)
  expect(reported).toEqual(['a rests'])
  put('b', 2, rested)
  watch.watch('c', 0)
  await answer(-1, null)
  expect(reported).toEqual(['a rests', 'b rests'])
})

test('trees of a worker that reports no changes are compared now and then', async () => {
  const { watch, put, answer, reported } = openPlace({ compareInterval: 0 })
  watch.watch('a', 1)
  watch.watch('b', 1)
  await answer(0, null)
  put('a', 2, rested)
  await answer(0, [])
  expect(reported).toEqual(['a rests'])
})

test('a rest that was known before an order is not reported as its result', async () => {
  const { watch, put, answer, reported } = openPlace()
  put('a', 4, rested)
  watch.watch('a', 4)
  watch.watch('b', 0)
  await answer(1, null)
  expect(reported).toEqual([])
  put('a', 5, rested)
  await answer(2, ['a'])
  expect(reported).toEqual(['a rests'])
})

test('a tree that rested before it was watched is reported', async () => {
  const { watch, put, answer, reported } = openPlace()
  watch.watch('a', 1)
  await answer(1, null)
  put('b', 1, rested)
  watch.watch('b')
  await answer(1, [])
  expect(reported).toEqual(['b rests'])
})

test('changes of other trees are reported to those who ask for them, even if no tree is watched', async () => {
  const { watch, answer, looked } = openPlace()
  const others: (string | undefined)[] = []
  watch.onOtherChange((root) => others.push(root))
  await answer(3, null)
  watch.watch('a', 1)
  await answer(4, ['a', 'b'])
  await answer(5, [])
  await answer(500, null)
  expect(others).toEqual([undefined, 'b', undefined])
  expect(looked).not.toContain('b')
})
