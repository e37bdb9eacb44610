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

/** Of several markers one that is not open counts: what may be done already is not done again. */
export function stateOf(
  task: Task,
  head: TaskHead,
  fields: ReadonlyMap<string, string>,
): TaskState | undefined {
  const first = stateOfMarker(task.marker)
  if (first === undefined) return undefined
  const state = first !== 'open' ? first : (otherState(head) ?? first)
  return state === 'skipped' && isFailed(fields.get('status')) ? 'failed' : state
}

/** Of the markers behind the first: the first one that is not open. */
function otherState({ tokens }: TaskHead): TaskState | undefined {
  for (const token of tokens) {
    if (token.kind !== 'marker') return undefined
    const state = stateOfMarker(token.text)
    if (state !== 'open') return state
  }
  return undefined
}

export function stateOfMarker(marker: string): TaskState | undefined {
  // `[]` is a marker that somebody has yet to write.
  return marker === '' ? undefined : states.get(marker.trim())
}

/** Text in brackets that is no marker, and not meant as one. */
export function isPlainBullet(task: Task): boolean {
  return stateOfMarker(task.marker) === undefined && [...task.marker.trim()].length > 1
}

export function isFailed(status: string | undefined): boolean {
  return status !== undefined && /^failed$/i.test(status)
}
