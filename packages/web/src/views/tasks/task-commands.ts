import type { NewTask, TaskChange, TaskItem } from '@cadre/api'
import { commandLine } from '../../parts/shell-word.ts'

/** The command that makes the same change. It contains the file's path, because it can run in any folder. */
export function changeCommand(home: string, task: TaskItem, change: TaskChange): string {
  const { state, priority, title, agent } = change
  const set = [
    ...(state === undefined ? [] : [`state = ${quoted(state)}`]),
    ...(priority === undefined ? [] : [`priority = ${priority === '' ? 'NULL' : quoted(priority)}`]),
    ...(title === undefined ? [] : [`title = ${quoted(title)}`]),
    ...(agent === undefined ? [] : [`who = ${agent === '' ? 'NULL' : quoted(agent)}`]),
  ].join(', ')
  return query(`UPDATE ${fileOf(home, task.file)} SET ${set} WHERE ${conditionOf(task)}`)
}

export function deleteCommand(home: string, task: TaskItem): string {
  return query(`DELETE FROM ${fileOf(home, task.file)} WHERE ${conditionOf(task)}`)
}

export function createCommand(
  home: string,
  { title, file, agent, priority, dependencies = [] }: NewTask,
): string {
  const set = [
    `title = ${quoted(title)}`,
    ...(agent ? [`who = ${quoted(agent)}`] : []),
    ...(priority ? [`priority = ${quoted(priority)}`] : []),
    ...(dependencies.length > 0 ? [`depends_on = (${dependencies.map(quoted).join(', ')})`] : []),
  ].join(', ')
  return query(`INSERT INTO ${fileOf(home, file || 'todo.task.md')} SET ${set}`)
}

function query(text: string): string {
  return commandLine('cadre', 'tasks', text)
}

function fileOf(home: string, file: string): string {
  return quoted(`${home.replace(/\/+$/, '')}/tasks/${file}`)
}

/** A task without an id is identified by its position. */
function conditionOf({ id, file, line }: TaskItem): string {
  return id === `${file}:${line}` ? `line = ${line}` : `id = ${quoted(id)}`
}

/** A string in a query. Doubles quotes, and backslashes, which would escape the next character. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
