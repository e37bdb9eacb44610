import type { TaskItem } from '@cadre/api'
import { expect, test } from 'vitest'
import {
  boardOf,
  columnBeside,
  columns,
  dependentsOf,
  matchTasks,
  stepOnBoard,
  stepPriority,
} from './board.ts'

const task = (id: string, changes: Partial<TaskItem> = {}): TaskItem => ({
  id,
  file: 'todo.task.md',
  line: 1,
  title: `Do ${id}`,
  state: 'open',
  marker: ' ',
  dependencies: [],
  blockedBy: [],
  fields: {},
  etag: 'e',
  ...changes,
})

const ids = (tasks: readonly TaskItem[] | undefined) => tasks?.map(({ id }) => id)

test('every task is in exactly one column, sorted by priority and then as in the files', () => {
  const tasks = [
    task('none'),
    task('b', { priority: 'B' }),
    task('a', { priority: 'A' }),
    task('a2', { priority: 'A' }),
    task('waits', { state: 'waiting' }),
    task('done', { state: 'done' }),
  ]
  const board = boardOf(tasks)
  expect(ids(board.get('open'))).toEqual(['a', 'a2', 'b', 'none'])
  expect(ids(board.get('running'))).toEqual(['waits'])
  expect([...board.values()].flat()).toHaveLength(tasks.length)
  expect([...board.keys()]).toEqual(columns)
})

test.each([
  ['', ['one', 'two', 'three']],
  ['blocked', ['two']],
  ['state:done', ['three']],
  ['@LEAD', []],
  ['lead do', ['one']],
  ['TWO', ['two']],
])('the filter %j keeps %j', (typed, kept) => {
  const tasks = [
    task('one', { agent: 'lead' }),
    task('two', { blockedBy: ['one'], dependencies: ['one'] }),
    task('three', { state: 'done' }),
  ]
  expect(ids(matchTasks(tasks, typed))).toEqual(kept)
})

test('keys move on the board, skip empty columns and stop at its edges', () => {
  const board = boardOf([task('o1'), task('o2'), task('d1', { state: 'done' })])
  const step = (from: string | undefined, way: Parameters<typeof stepOnBoard>[2]) =>
    stepOnBoard(board, from, way)?.id
  expect(step(undefined, 'down')).toBe('o1')
  expect(step('gone', 'down')).toBe('o1')
  expect(step('o1', 'down')).toBe('o2')
  expect(step('o2', 'down')).toBe('o2')
  expect(step('o1', 'up')).toBe('o1')
  expect(step('o2', 'right')).toBe('d1')
  expect(step('d1', 'right')).toBe('d1')
  expect(step('d1', 'left')).toBe('o1')
  expect(stepOnBoard(boardOf([]), undefined, 'down')).toBeUndefined()
})

test('a state changes to the column beside it, and not beyond the last one', () => {
  expect(columnBeside(task('x'), 1)).toBe('running')
  expect(columnBeside(task('x', { state: 'waiting' }), 1)).toBe('done')
  expect(columnBeside(task('x'), -1)).toBeUndefined()
  expect(columnBeside(task('x', { state: 'skipped' }), 1)).toBeUndefined()
})

test.each([
  [undefined, 'raise', 'C'],
  [undefined, 'lower', undefined],
  ['B', 'raise', 'A'],
  ['A', 'raise', undefined],
  ['B', 'lower', 'C'],
  ['Z', 'lower', ''],
] as const)('from priority %s, %s gives %j', (from, by, to) => {
  expect(stepPriority(from, by)).toBe(to)
})

test('finds the tasks that wait for another', () => {
  const tasks = [task('a'), task('b', { dependencies: ['a'] }), task('c', { dependencies: ['b'] })]
  expect(ids(dependentsOf(tasks, 'a'))).toEqual(['b'])
})
