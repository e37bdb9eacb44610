import type { RawText } from '@cadre/disk'
import { taskWithId } from './change-task.ts'
import { applySplices } from './edit-tasks.ts'
import { isIntendedEdit } from './is-intended-edit.ts'
import { refusedEdit, type TaskEdit } from './task-edit.ts'
import { readWrittenTasks } from './written-tasks.ts'

/** Removes a task with its subtasks, and one of the two blank gaps around it. */
export function removeTask(raw: RawText, id: string): TaskEdit {
  const read = readWrittenTasks(raw)
  const at = taskWithId(read, id)
  if (typeof at === 'object') return at
  const task = read.written[at]?.task
  if (task === undefined) return { kind: 'missing' }
  const { start, treeEnd } = task
  const removed = read.written.slice(at).findIndex((one, index) => index > 0 && one.task.start >= treeEnd)
  const gap = /(?:^|\n)[ \t]*\r?\n$/.test(raw.slice(Math.max(0, start - 200), start))
    ? (/^[ \t]*\r?\n/.exec(raw.slice(treeEnd, treeEnd + 200))?.[0].length ?? 0)
    : 0
  const after = applySplices(raw, [{ at: start, remove: treeEnd + gap - start, insert: '' }])
  const meant = { at, removed: removed === -1 ? read.written.length - at : removed }
  if (isIntendedEdit(read, readWrittenTasks(after), meant)) return { kind: 'changed', raw: after }
  return refusedEdit(`Removing the task on line ${task.line} would change the meaning of other tasks.`)
}
