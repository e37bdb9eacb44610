import { CadreError } from '@cadre/core'
import type { RawText } from '@cadre/disk'
import { linesOf } from '@cadre/disk'
import type { TaskEdit } from '../task-edit.ts'
import type { TaskItem } from '../task-item.ts'
import { readWrittenTasks } from '../written-tasks.ts'

export interface ChunkEdits {
  readonly raw: RawText
  /** As returned by `readTaskFile`. */
  readonly tasks: readonly TaskItem[]
  /** The tasks to change. Each has an id. */
  readonly targets: ReadonlySet<TaskItem>
  readonly edit: (raw: RawText, id: string) => TaskEdit
}

/**
 * Applies many edits to the text of one file. Each edit reads its whole text, so every tree of tasks is edited as a separate text, and the
 * result is verified at the end. If that finds an unintended change, the edits are applied one by one. Throws a `CadreError` if an edit is
 * impossible. Writes no file.
 */
export function editChunks({ raw, tasks, targets, edit }: ChunkEdits): RawText {
  const isTarget = (task: TaskItem) => targets.has(task)
  const edited: RawText[] = []
  const expected: TaskItem[] = []
  let isSure = true
  for (const { text, own } of cut(raw, tasks)) {
    const wanted = own.filter(isTarget)
    const after = wanted.length === 0 ? text : applyInOrder(text, wanted, edit)
    // The separate text must have the same meaning as in the file. A comment that starts further up could change it.
    isSure &&= wanted.length === 0 || haveSameContent(itemsOf(text), own)
    edited.push(after)
    for (const task of wanted.length === 0 ? own : itemsOf(after)) expected.push(task)
  }
  const result = edited.join('')
  return isSure && haveSameContent(itemsOf(result), expected)
    ? result
    : applyInOrder(raw, tasks.filter(isTarget), edit)
}

interface Piece {
  readonly text: RawText
  readonly own: readonly TaskItem[]
}

/** Splits the text: the part before the first task, then each top-level task with everything up to the next. */
function cut(raw: RawText, tasks: readonly TaskItem[]): Piece[] {
  const starts: number[] = []
  for (const { start } of linesOf(raw)) starts.push(start)
  const roots = tasks.flatMap(({ depth }, at) => (depth === 0 ? [at] : []))
  const at = (index: number | undefined) => {
    const task = index === undefined ? undefined : tasks[index]
    return task === undefined ? raw.length : (starts[task.line - 1] ?? raw.length)
  }
  const first = { text: raw.slice(0, at(roots[0])), own: tasks.slice(0, roots[0] ?? tasks.length) }
  const others = roots.map((root, index) => ({
    text: raw.slice(at(root), at(roots[index + 1])),
    own: tasks.slice(root, roots[index + 1] ?? tasks.length),
  }))
  return [first, ...others]
}

function applyInOrder(raw: RawText, targets: readonly TaskItem[], edit: ChunkEdits['edit']): RawText {
  let text = raw
  for (const { id, line } of targets) {
    const result = edit(text, id as string)
    if (result.kind === 'changed') text = result.raw
    else if (result.kind === 'refused')
      throw new CadreError('usage', `cannot change the task on line ${line}. ${result.reason}`)
    else if (result.kind === 'missing')
      throw new CadreError('usage', `cannot find the task on line ${line} by its id ${id}.`)
  }
  return text
}

function itemsOf(raw: RawText): readonly TaskItem[] {
  return readWrittenTasks(raw).items
}

function haveSameContent(some: readonly TaskItem[], others: readonly TaskItem[]): boolean {
  return some.length === others.length && some.every((task, at) => hasSameContent(task, others[at]))
}

/** Compares tasks without their position. */
function hasSameContent(one: TaskItem, other: TaskItem | undefined): boolean {
  return (
    other !== undefined &&
    one.id === other.id &&
    one.state === other.state &&
    one.title === other.title &&
    one.priority === other.priority &&
    one.depth === other.depth &&
    one.parent === other.parent &&
    one.who.join('\n') === other.who.join('\n') &&
    one.tags.join('\n') === other.tags.join('\n') &&
    one.fields.size === other.fields.size &&
    [...one.fields].every(([key, value]) => other.fields.get(key) === value)
  )
}
