import type { TaskItem } from './task-item.ts'
import type { ReadFile, WrittenTask } from './written-tasks.ts'

/** The expected values of a task after a change. */
export type ExpectedTask = Pick<TaskItem, 'state' | 'title' | 'priority' | 'who' | 'tags' | 'fields'>

export interface IntendedEdit {
  /** The index of the task that is changed, added or removed. */
  readonly at: number
  readonly added?: number
  readonly removed?: number
  /** Absent if the task is removed. */
  readonly expected?: ExpectedTask
}

/**
 * Returns whether an edit did exactly what was intended: every other task has the same content, parent and heading. Every edit is verified,
 * so that no text can make a change affect other tasks.
 */
export function isIntendedEdit(
  before: ReadFile,
  after: ReadFile,
  { at, added = 0, removed = 0, expected }: IntendedEdit,
): boolean {
  const shift = added - removed
  if (after.written.length !== before.written.length + shift) return false
  const moved = (index: number) => (index >= at + removed ? index + shift : index)
  for (let index = 0; index < before.written.length; index++) {
    const one = before.written[index]
    const isTarget = index >= at && index < at + removed
    if (isTarget || one === undefined) continue
    const other = after.written[moved(index)]
    if (other === undefined || other.task.above !== moved(one.task.above)) return false
    if (sectionOf(before, one) !== sectionOf(after, other)) return false
    const isChanged = index === at && added === 0 && removed === 0
    if (!isChanged && !isSame(one, other)) return false
  }
  const item = after.written[at]?.item
  return expected === undefined || (item !== undefined && matchesExpected(item, expected))
}

function sectionOf({ scan }: ReadFile, { task }: WrittenTask): string | undefined {
  return scan.headings[task.section]?.text
}

function isSame({ task: one }: WrittenTask, { task: other }: WrittenTask): boolean {
  if (one === other) return true
  return (
    one.marker === other.marker &&
    one.rawHead === other.rawHead &&
    one.indent === other.indent &&
    one.fields.length === other.fields.length &&
    one.fields.every((field, index) => {
      const match = other.fields[index]
      return (
        match !== undefined &&
        field.key === match.key &&
        field.rawValue === match.rawValue &&
        isSameList(field.block ?? [], match.block ?? [])
      )
    })
  )
}

function matchesExpected(item: TaskItem, expected: ExpectedTask): boolean {
  return (
    item.state === expected.state &&
    item.title === expected.title &&
    item.priority === expected.priority &&
    isSameList(item.who, expected.who) &&
    isSameList(item.tags, expected.tags) &&
    item.fields.size === expected.fields.size &&
    [...expected.fields].every(([key, value]) => item.fields.get(key) === value)
  )
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index])
}
