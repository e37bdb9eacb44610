import type { Task } from './read-tasks.ts'
import type { TaskHead } from './task-head.ts'
import type { TaskState } from './task-item.ts'

const states = new Map<string, TaskState>([
  ['', 'open'],
  ['_', 'open'],
  ['~', 'running'],
  ['x', 'done'],
  ['X', 'done'],
  ['-', 'skipped'],
])

/** If a task has several markers, one that is not open applies, so that work is not repeated. */
export function stateOf(
  task: Task,
  head: TaskHead,
  fields: ReadonlyMap<string, string>,
): TaskState | undefined {
  const first = stateFromMarker(task.marker)
  if (first === undefined) return undefined
  const state = first !== 'open' ? first : (otherState(head) ?? first)
  return state === 'skipped' && isFailed(fields.get('status')) ? 'failed' : state
}

/** The first marker after the first one that is not open. */
function otherState({ tokens }: TaskHead): TaskState | undefined {
  for (const token of tokens) {
    if (token.kind !== 'marker') return undefined
    const state = stateFromMarker(token.text)
    if (state !== 'open') return state
  }
  return undefined
}

export function stateFromMarker(marker: string): TaskState | undefined {
  // `[]` has no marker yet.
  return marker === '' ? undefined : states.get(marker.trim())
}

/** Returns whether the text in brackets is not meant as a marker. */
export function isPlainBullet(task: Task): boolean {
  return stateFromMarker(task.marker) === undefined && [...task.marker.trim()].length > 1
}

export function isFailed(status: string | undefined): boolean {
  return status !== undefined && /^failed$/i.test(status)
}
