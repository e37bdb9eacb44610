import type { SessionRow } from '@cadre/api'
import { signal } from '@preact/signals'
import { expect, test } from 'vitest'
import type { RowCell } from '../../store/session-rows.ts'
import { flatten, rowMatcher } from './flatten.ts'

const usage = { input: 0, output: 0 }

function cell(id: string, children: RowCell[] = [], more: Partial<SessionRow> = {}): RowCell {
  const row: SessionRow = {
    id,
    agent: 'lead',
    root: id,
    depth: 0,
    state: 'working',
    work: `the work of ${id}`,
    created: '',
    updated: '',
    usage,
    subtree: { sessions: 1, calls: 0, waiting: 0, usage },
    seq: 1,
    ...more,
  }
  return { id, row: signal(row), children, parent: undefined }
}

const tree = [cell('a', [cell('b', [cell('c')]), cell('d')]), cell('e')]
const ids = (rows: ReturnType<typeof flatten>) => rows.map(({ cell: { id }, level }) => `${id}${level}`)

test('lists open branches with levels and positions', () => {
  const rows = flatten(tree, { isOpen: () => true })
  expect(ids(rows)).toEqual(['a1', 'b2', 'c3', 'd2', 'e1'])
  expect(rows.map(({ position, siblings }) => `${position}/${siblings}`)).toEqual([
    '1/2',
    '1/2',
    '1/1',
    '2/2',
    '2/2',
  ])
  expect(rows.map(({ isOpen }) => isOpen)).toEqual([true, true, undefined, undefined, undefined])
})

test('leaves closed branches out', () => {
  expect(ids(flatten(tree, { isOpen: ({ id }) => id !== 'b' }))).toEqual(['a1', 'b2', 'd2', 'e1'])
  expect(ids(flatten(tree, { isOpen: () => false }))).toEqual(['a1', 'e1'])
})

test('a tree that is not read yet can be opened', () => {
  const root = cell('r', [], { subtree: { sessions: 7, calls: 0, waiting: 0, usage } })
  expect(flatten([root], { isOpen: () => false })[0]).toMatchObject({ isOpen: false })
})

test('a filter keeps matches and the rows above them, open or not', () => {
  const matches = rowMatcher('of c')
  expect(ids(flatten(tree, { isOpen: () => false, matches }))).toEqual(['a1', 'b2', 'c3'])
  expect(flatten(tree, { isOpen: () => true, matches: rowMatcher('nothing') })).toEqual([])
})

test.each([
  ['lead', true],
  ['LEAD a', true],
  ['state:working', true],
  ['state:ended', false],
  ['agent:lea model:gpt', false],
  ['zzz', false],
])('%s matches: %s', (typed, expected) => {
  expect(rowMatcher(typed)?.((tree[0] as RowCell).row.value)).toBe(expected)
})

test('an empty filter matches everything', () => {
  expect(rowMatcher('   ')).toBeUndefined()
})

test('a chain of 20,000 sessions does not exhaust the stack', () => {
  let chain = cell('leaf')
  for (let depth = 0; depth < 20_000; depth++) chain = cell(`n${depth}`, [chain])
  expect(flatten([chain], { isOpen: () => true })).toHaveLength(20_001)
  expect(flatten([chain], { isOpen: () => false, matches: rowMatcher('leaf') })).toHaveLength(20_001)
})
