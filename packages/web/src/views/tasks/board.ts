import type { TaskItem } from '@cadre/api'

/** The states that a person can set. A task that is waiting for a person counts as running. */
export const columns = ['open', 'running', 'done', 'failed', 'skipped'] as const

export type Column = (typeof columns)[number]

export function columnOf({ state }: Pick<TaskItem, 'state'>): Column {
  return state === 'waiting' ? 'running' : state
}

/** Tasks by column. Each column is sorted by priority, then by file order. */
export function boardOf(tasks: readonly TaskItem[]): ReadonlyMap<Column, readonly TaskItem[]> {
  const board = new Map<Column, TaskItem[]>(columns.map((column) => [column, []]))
  for (const task of tasks) board.get(columnOf(task))?.push(task)
  for (const list of board.values()) list.sort((a, b) => compareText(rankOf(a), rankOf(b)))
  return board
}

/** Tasks that contain every typed word in their title, id, agent or file. `blocked` and `state:done` have a special meaning. */
export function matchTasks(tasks: readonly TaskItem[], typed: string): readonly TaskItem[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return tasks
  return tasks.filter((task) => words.every((word) => matches(task, word)))
}

/** The position after a step. Left and right change the column, and skip empty columns. */
export function stepOnBoard(
  board: ReadonlyMap<Column, readonly TaskItem[]>,
  selected: string | undefined,
  step: 'up' | 'down' | 'left' | 'right',
): TaskItem | undefined {
  const lists = columns.map((column) => board.get(column) ?? [])
  const at = lists.findIndex((list) => list.some(({ id }) => id === selected))
  if (at < 0) return lists.find((list) => list.length > 0)?.[0]
  const list = lists[at] as readonly TaskItem[]
  const row = list.findIndex(({ id }) => id === selected)
  if (step === 'up' || step === 'down')
    return list[Math.max(0, Math.min(list.length - 1, row + (step === 'down' ? 1 : -1)))]
  const next = step === 'right' ? lists.slice(at + 1) : lists.slice(0, at).toReversed()
  const target = next.find((one) => one.length > 0)
  return target?.[Math.min(row, target.length - 1)] ?? list[row]
}

/** The column next to a task's column, or `undefined` at the edge. */
export function columnBeside(task: TaskItem, by: 1 | -1): Column | undefined {
  return columns[columns.indexOf(columnOf(task)) + by]
}

/** Raises or lowers the priority by one step. A task without a priority gets C, and the step after Z removes the priority. */
export function stepPriority(priority: string | undefined, by: 'raise' | 'lower'): string | undefined {
  if (priority === undefined || priority === '') return by === 'raise' ? 'C' : undefined
  if (by === 'raise') return priority === 'A' ? undefined : String.fromCharCode(priority.charCodeAt(0) - 1)
  return priority === 'Z' ? '' : String.fromCharCode(priority.charCodeAt(0) + 1)
}

/** Tasks that wait for this one. */
export function dependentsOf(tasks: readonly TaskItem[], id: string): readonly TaskItem[] {
  return tasks.filter(({ dependencies }) => dependencies.includes(id))
}

function rankOf({ priority }: TaskItem): string {
  // No priority comes after all letters.
  return priority === undefined || priority === '' ? '~' : priority
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a === b ? 0 : 1
}

function matches(task: TaskItem, word: string): boolean {
  if (word === 'blocked') return task.blockedBy.length > 0
  if (word.startsWith('state:')) return task.state === word.slice('state:'.length)
  const { title, id, agent = '', file } = task
  return `${title} ${id} ${agent} ${file}`.toLowerCase().includes(word)
}
