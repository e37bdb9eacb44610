import { CadreError } from '@cadre/core'
import type { RawText } from '@cadre/disk'
import { addTask } from '../add-task.ts'
import { newTaskId } from '../new-task-id.ts'
import type { TaskItem } from '../task-item.ts'
import { readWrittenTasks } from '../written-tasks.ts'

const heading = '## TODO\n\n'
/** Deeper tasks are written at the top level, with a field `parent`. */
const maxDepth = 50

/** Writes a complete file with these tasks, each below its parent if that is included. Adds missing ids. */
export function writeTasks(tasks: readonly TaskItem[]): RawText {
  const ids = new Set(tasks.flatMap(({ id }) => id ?? []))
  const below = new Map<string, TaskItem[]>()
  const tops: TaskItem[] = []
  for (const task of tasks) {
    const { parent } = task
    if (parent === undefined || parent === task.id || !ids.has(parent)) tops.push(task)
    else below.set(parent, [...(below.get(parent) ?? []), task])
  }
  const written = new Set<TaskItem>()
  const write = (task: TaskItem, depth: number): RawText => {
    written.add(task)
    const children = depth < maxDepth && task.id !== undefined ? (below.get(task.id) ?? []) : []
    const inner = children
      .filter((child) => !written.has(child))
      .map((child) => indented(write(child, depth + 1)))
    return writeOne(task, ids) + inner.join('')
  }
  const trees = tops.map((task) => write(task, 0))
  // Tasks whose parents form a cycle, or that are nested too deeply.
  for (const task of tasks) if (!written.has(task)) trees.push(write(task, 0))
  const text = heading + trees.join('\n')
  const read = readWrittenTasks(text).items
  if (read.length === tasks.length) return text
  throw new CadreError('usage', 'cannot write these tasks to one file without changing their meaning.')
}

function writeOne(task: TaskItem, ids: Set<string>): RawText {
  const { title, state, priority, who, tags, fields } = task
  const id = task.id ?? newTaskId(ids)
  ids.add(id)
  const others = [...fields].filter(([key]) => key !== 'id' && key !== 'title')
  const edit = addTask(undefined, {
    id,
    title: title === '' ? id : title,
    state,
    ...(priority !== undefined && { priority }),
    who,
    tags,
    fields: Object.fromEntries(others),
  })
  if (edit.kind === 'changed') return edit.raw.slice(heading.length)
  const reason = edit.kind === 'refused' ? edit.reason : 'Cannot write it.'
  throw new CadreError('usage', `the task on line ${task.line}: ${reason}`)
}

function indented(text: RawText): RawText {
  return text.replace(/^(?=[^\n])/gm, '  ')
}
