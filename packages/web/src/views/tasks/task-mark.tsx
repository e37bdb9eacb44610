import type { TaskItem } from '@cadre/api'
import { type MarkName, StateMark } from '../../parts/state-mark.tsx'

const marks: Readonly<Record<TaskItem['state'], MarkName>> = {
  open: 'queued',
  running: 'working',
  waiting: 'waiting',
  done: 'completed',
  failed: 'error',
  skipped: 'cancelled',
}

/** The state's shape, with the word that task files use. */
export function TaskMark({ state }: { readonly state: TaskItem['state'] }) {
  return (
    <span class="task-mark">
      <StateMark state={marks[state]} hideWord />
      <span aria-hidden="true">{state === 'waiting' ? 'waiting for a person' : state}</span>
    </span>
  )
}
