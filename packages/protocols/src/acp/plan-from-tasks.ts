import { shownLine } from '@cadre/gate'
import type { Home } from '@cadre/home'
import { openTaskFiles, type TaskItem, type TaskState } from '@cadre/tasks'
import type { PlanEntry } from './acp-types.ts'

const maxEntries = 200

const statusOf: Readonly<Record<TaskState, PlanEntry['status']>> = {
  open: 'pending',
  running: 'in_progress',
  done: 'completed',
  skipped: 'completed',
  failed: 'completed',
}

/** The tasks that the sessions of a conversation have created, as a plan. Undefined if there are none. */
export function planFromTasks(home: Home, isOurs: (session: string) => boolean): PlanEntry[] | undefined {
  const files = openTaskFiles({ folder: home.at('tasks'), home })
  const entries = files
    .list()
    .flatMap((file) => files.read(file).tasks)
    .filter(({ fields }) => isOurs(fields.get('created_by') ?? ''))
    .slice(0, maxEntries)
    .map(entryOf)
  return entries.length === 0 ? undefined : entries
}

function entryOf({ title, state, priority, who }: TaskItem): PlanEntry {
  const by = who.length === 0 ? '' : ` (${who.join(', ')})`
  const end = state === 'failed' || state === 'skipped' ? ` – ${state}` : ''
  return {
    content: shownLine(`${title}${by}${end}`, 500),
    priority: priorityOf(priority),
    status: statusOf[state],
  }
}

/** Letters, as people write them in task files. */
function priorityOf(letter: string | undefined): PlanEntry['priority'] {
  if (letter === undefined) return 'medium'
  return letter.toUpperCase() === 'A' ? 'high' : letter.toUpperCase() === 'B' ? 'medium' : 'low'
}
