import type { KeptSessionState } from '../session-keeper.ts'
import type { Action } from './action.ts'
import { isFinished, type PlacedTask, type TaskBook, type TaskIndex, withDescendants } from './task-book.ts'

type Wave = Extract<Action, { kind: 'wave' }>

/** Identifies one end of a task. A later end of the same task has a different id. */
export function taskEndId({ id, task }: PlacedTask): string {
  return [id, task.state, task.fields.get('session') ?? ''].join(' ')
}

/**
 * Returns the planners to notify that all their tasks have ended: those below their own task, those they created, and everything below. A
 * session is notified only after it has ended, because it may still be planning. Without states, returns all planners as if their sessions
 * had ended.
 */
export function planNotifications(
  book: TaskBook,
  index: TaskIndex,
  states: ReadonlyMap<string, KeptSessionState> | undefined,
): readonly Wave[] {
  const planners = new Set(index.createdBy.keys())
  for (const [session, placed] of index.taskOf) if (index.children.has(placed.id)) planners.add(session)
  return [...planners].flatMap((session) => {
    const members = newEnds(session, book, index)
    if (members.length === 0) return []
    const isDelivered = states === undefined || shouldNotify(session, states.get(session), index)
    return isDelivered === undefined ? [] : [{ kind: 'wave' as const, session, members, isDelivered }]
  })
}

/** Returns whether the session has planned tasks that have not ended, or whose end it was not notified of. */
export function hasOpenPlannedTasks(session: string, book: TaskBook, index: TaskIndex): boolean {
  const members = treeOf(session, index)
  return members.some(({ task }) => !isFinished(task)) || newEnds(session, book, index).length > 0
}

/** Returns whether a planner should be notified, or `undefined` while this is unknown. */
function shouldNotify(
  session: string,
  state: KeptSessionState | undefined,
  index: TaskIndex,
): boolean | undefined {
  const own = index.taskOf.get(session)
  // Claimed, but not started yet.
  if (state === undefined || state.kind === 'absent') return own?.task.state === 'running' ? undefined : false
  if (state.kind !== 'ended') return undefined
  if (state.outcome === 'completed') return true
  if (state.outcome === 'cancelled') return false
  // Its own task failed with it, so it cannot continue.
  return own === undefined
}

/** The ends it was not notified of, if all tasks have ended. Otherwise empty. */
function newEnds(session: string, { notifiedEnds }: TaskBook, index: TaskIndex): readonly PlacedTask[] {
  const members = treeOf(session, index)
  if (members.some(({ task }) => !isFinished(task))) return []
  const known = notifiedEnds.get(session)
  return known === undefined ? members : members.filter((placed) => !known.has(taskEndId(placed)))
}

function treeOf(session: string, index: TaskIndex): readonly PlacedTask[] {
  const own = index.taskOf.get(session)
  const below = own === undefined ? [] : (index.children.get(own.id) ?? [])
  const members = withDescendants([...below, ...(index.createdBy.get(session) ?? [])], index)
  return own === undefined ? members : members.filter(({ id }) => id !== own.id)
}
