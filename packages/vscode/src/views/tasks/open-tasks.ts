/** The task files in a home, for the view. Loaded on first use, because it needs the engine. */
import { CadreError } from '@cadre/core'
import { shownLine } from '@cadre/gate'
import type { Home } from '@cadre/home'
import { openTaskFiles, type TaskItem, type TaskState } from '@cadre/tasks'
import { buildTasks, parseNewTask, type TaskFileNode } from './task-tree.ts'

export interface Tasks {
  read(): TaskFileNode[]
  pathOf(file: string): string
  /** Changes the state of a task, if it has not changed since it was shown; a task without an id gets one. */
  setState(file: string, shown: TaskItem, state: TaskState): Promise<void>
  /** Returns the line of the new task. */
  add(file: string, text: string): Promise<number>
}

export function openTasks(home: Home): Tasks {
  const files = openTaskFiles({ folder: home.at('tasks'), home })
  const idOf = async (file: string, { id, line, title }: TaskItem): Promise<string> => {
    if (id !== undefined) return id
    const [made] = await files.ensureIds(file, (task) => task.line === line && task.title === title)
    if (made === undefined) throw changed()
    return made
  }
  return {
    read: () =>
      buildTasks(
        files.list().map((name) => ({ name, file: files.read(name) })),
        (text) => shownLine(text, 200),
      ),
    pathOf: (file) => home.at('tasks', file),
    async setState(file, shown, state) {
      const id = await idOf(file, shown)
      const result = await files.change(file, id, { state }, (task) => task.state === shown.state)
      if (result.kind === 'refused') throw new CadreError('usage', result.reason)
      if (result.kind !== 'changed') throw changed()
    },
    async add(file, text) {
      const { id } = await files.add(file, parseNewTask(text))
      return files.read(file).tasks.find((task) => task.id === id)?.line ?? 1
    },
  }
}

function changed(): CadreError {
  return new CadreError('usage', 'The task has changed in the meantime. Check it, then try again.')
}
