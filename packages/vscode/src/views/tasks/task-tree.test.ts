import { readTaskFile } from '@cadre/tasks'
import { expect, test } from 'vitest'
import { buildTasks, fileDescription, parseNewTask, taskDescription } from './task-tree.ts'

const text = `## TODO
- [x] "Plan"
  id: t-1
- [ ] B @worker "Build"
  id: t-2
  depends_on: t-1
  - [~] "Compile"
- [ ] "Ship"
  depends_on: t-2, t-9
- [-] "Old"
  status: failed
- [?] "odd"
`
const [file] = buildTasks([{ name: 'a.task.md', file: readTaskFile(text) }], (title) => title.toUpperCase())

test('groups tasks by state, with subtasks below their parent', () => {
  expect(
    file?.groups.map(({ state, tasks }) => [
      state,
      ...tasks.map(({ title, task }) => `${title} ${task.line}`),
    ]),
  ).toEqual([
    ['open', 'BUILD 4'],
    ['waiting', 'SHIP 8'],
    ['failed', 'OLD 10'],
    ['done', 'PLAN 2'],
  ])
  const [build] = file?.groups[0]?.tasks ?? []
  expect(build?.children.map((child) => [child.title, child.state])).toEqual([['COMPILE', 'running']])
})

test('describes priority, people and dependencies', () => {
  const [build] = file?.groups[0]?.tasks ?? []
  const [ship] = file?.groups[1]?.tasks ?? []
  expect(build && taskDescription(build)).toBe('(B) @worker after t-1')
  expect(ship && taskDescription(ship)).toBe('waiting for t-2, t-9')
  expect(build?.children[0] && taskDescription(build.children[0])).toBe('running')
  expect(file && fileDescription(file)).toBe('1 open, 1 waiting, 1 failed, 1 done, 1 problem')
})

test.each([
  ['Check the port', { title: 'Check the port', who: [], tags: [] }],
  ['@a-1 @b  Check #1 of it #net #x', { title: 'Check #1 of it', who: ['a-1', 'b'], tags: ['net', 'x'] }],
  ['ask @bob', { title: 'ask @bob', who: [], tags: [] }],
])('reads %j', (typed, expected) => {
  expect(parseNewTask(typed)).toEqual(expected)
})
