import type { TaskChange, TaskItem } from '@cadre/tasks'
import type { KeptSessionState } from '../session-keeper.ts'
import type { EndedSession } from './action.ts'
import type { TaskMark } from './marks.ts'
import { shortenLine, shortenText } from './shorten.ts'

const maxResultLength = 1500
const maxResultLines = 40
const maxErrorLength = 500

/** Fields of an earlier attempt. */
const leftovers = [
  'completed',
  'result',
  'error',
  'failed_at',
  'skipped_because',
  'skipped_at',
  'problem',
  'marked_by',
]

export function claimChange(task: TaskItem, session: string, time: string): TaskChange {
  return { state: 'running', fields: { ...clearedFields(task), session, started: time } }
}

/** The change of a task when its session has ended. */
export function endChange(
  task: TaskItem,
  { outcome, text, reason }: EndedSession,
  session: string,
  time: string,
): TaskChange {
  const fields = clearedFields(task)
  if (outcome === 'completed') {
    const result = shortenText(text, maxResultLength, maxResultLines)
    const isCut = result !== text.trim()
    const rest = isCut ? `${result}\n(The full report is in sessions/${session}.session.yaml.)` : result
    return { state: 'done', fields: { ...fields, completed: time, ...(result !== '' && { result: rest }) } }
  }
  if (outcome === 'cancelled') {
    const why = `the task's session was cancelled${reason ? `: ${shortenLine(reason, maxErrorLength)}` : ''}`
    return {
      state: 'skipped',
      fields: { ...fields, status: 'skipped', skipped_because: why, skipped_at: time },
    }
  }
  const known =
    reason ||
    (outcome === 'incomplete'
      ? "the task's session ended without a complete report"
      : "the task's session ended with an error")
  return {
    state: 'failed',
    fields: { ...fields, status: 'failed', error: shortenLine(known, maxErrorLength), failed_at: time },
  }
}

export function skipChange(task: TaskItem, cause: string, time: string): TaskChange {
  return {
    state: 'skipped',
    fields: { ...clearedFields(task), status: 'skipped', skipped_because: cause, skipped_at: time },
  }
}

export function reopenChange(task: TaskItem): TaskChange {
  return { state: 'open', fields: clearedFields(task) }
}

export function releaseChange(task: TaskItem): TaskChange {
  return { state: 'open', fields: { ...clearedFields(task), session: null, started: null } }
}

/** Restores a stale line. `session`: the state of the session in its mark. */
export function markChange(
  task: TaskItem,
  mark: TaskMark,
  session: KeptSessionState | undefined,
): TaskChange {
  if (mark.session === '') return { ...releaseChange(task), state: mark.state }
  const named = { session: mark.session }
  const end = session?.kind === 'ended' ? endChange(task, session, mark.session, mark.at) : undefined
  // A person may have set another state.
  if (end?.state === mark.state) return { state: mark.state, fields: { ...end.fields, ...named } }
  const status = mark.state === 'failed' || mark.state === 'skipped' ? { status: mark.state } : {}
  return { state: mark.state, fields: { ...clearedFields(task), ...status, ...named } }
}

/** Removes the existing fields of earlier attempts. */
function clearedFields({ fields }: TaskItem): Record<string, string | null> {
  const gone = leftovers.filter((key) => fields.has(key))
  const status = fields.get('status')
  if (status === 'failed' || status === 'skipped') gone.push('status')
  return Object.fromEntries(gone.map((key) => [key, null]))
}
