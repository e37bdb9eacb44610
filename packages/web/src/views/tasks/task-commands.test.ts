import type { TaskItem } from '@cadre/api'
import { expect, test } from 'vitest'
import { changeCommand, createCommand, deleteCommand } from './task-commands.ts'

const task: TaskItem = {
  id: 'task-1',
  file: 'todo.task.md',
  line: 3,
  title: 'Do it',
  state: 'open',
  marker: ' ',
  dependencies: [],
  blockedBy: [],
  fields: {},
  etag: 'e',
}

test('the command makes the same change', () => {
  expect(changeCommand('/h', task, { state: 'done', priority: '' })).toBe(
    `cadre tasks 'UPDATE '\\''/h/tasks/todo.task.md'\\'' SET state = '\\''done'\\'', priority = NULL WHERE id = '\\''task-1'\\'''`,
  )
})

test('a task without an id is named by its line', () => {
  expect(deleteCommand('/h', { ...task, id: 'todo.task.md:3' })).toContain('WHERE line = 3')
})

test('a title always stays one string in one argument', () => {
  const command = createCommand('/h', { title: `it's \\ "x"; rm -rf /` })
  const argument = command.slice("cadre tasks '".length, -1).replaceAll(`'\\''`, "'")
  expect(argument).toBe(`INSERT INTO '/h/tasks/todo.task.md' SET title = 'it''s \\\\ "x"; rm -rf /'`)
})
