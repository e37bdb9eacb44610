import type { RawText } from '@cadre/disk'
import { applySplices, type Splice } from './edit-tasks.ts'
import { fieldEdit } from './field-edit.ts'
import { newTaskId } from './new-task-id.ts'
import type { TaskItem } from './task-item.ts'
import { readWrittenTasks } from './written-tasks.ts'

export interface EnsuredIds {
  readonly raw: RawText
  /** The new ones, in the order of the file. */
  readonly ids: readonly string[]
}

/**
 * Writes an id below every task without one that `wants` selects: the id from `idOf`, unless it is in use, or a new one. New ids
 * are neither in `taken` nor in the text.
 */
export function ensureIds(
  raw: RawText,
  taken: ReadonlySet<string>,
  wants: (task: TaskItem) => boolean = () => true,
  idOf: (task: TaskItem) => string | undefined = () => undefined,
): EnsuredIds {
  const read = readWrittenTasks(raw)
  const known = new Set([...taken, ...read.items.flatMap(({ id }) => id ?? [])])
  const ids: string[] = []
  const splices: Splice[] = []
  for (const { task, head, item } of read.written) {
    if (item === undefined || item.id !== undefined || !wants(item)) continue
    // A person should fill in an empty id on the task's line.
    if (head.tokens.some((token) => token.kind === 'field' && token.key === 'id')) continue
    const wanted = idOf(item)
    const id = wanted === undefined || known.has(wanted) ? newTaskId(known) : wanted
    known.add(id)
    ids.push(id)
    splices.push(...fieldEdit({ raw, task, child: undefined, key: 'id', value: id }))
  }
  return { raw: applySplices(raw, splices), ids }
}
