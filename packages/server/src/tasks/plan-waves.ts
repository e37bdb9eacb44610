import type { KeptState } from '../session-keeper.ts'
import type { Action } from './action.ts'
import { type Book, isAtEnd, type Placed, type TaskIndex, withAllBelow } from './book.ts'

type Wave = Extract<Action, { kind: 'wave' }>

/** How one task ended, so that another end of the same task is a different one. */
export function endOf({ id, task }: Placed): string {
  return [id, task.state, task.fields.get('session') ?? ''].join(' ')
}

/**
 * Who is to be told that all it has planned is at an end: what stands below its own task, and what it has created, with
 * everything below that. A session hears it when it has ended itself: it may still be planning before. Without states, all
 * that would be told if they had ended.
 */
export function planWaves(
  book: Book,
  index: TaskIndex,
  states: ReadonlyMap<string, KeptState> | undefined,
): readonly Wave[] {
  const planners = new Set(index.createdBy.keys())
  for (const [session, placed] of index.taskOf) if (index.children.has(placed.id)) planners.add(session)
  return [...planners].flatMap((session) => {
    const members = newEnds(session, book, index)
    if (members.length === 0) return []
    const isHeard = states === undefined || hearsOf(session, states.get(session), index)
    return isHeard === undefined ? [] : [{ kind: 'wave' as const, session, members, isHeard }]
  })
}

/** Whether something that this session has planned is not at its end, or it was not told of it. */
export function isTreeOpen(session: string, book: Book, index: TaskIndex): boolean {
  const members = treeOf(session, index)
  return members.some(({ task }) => !isAtEnd(task)) || newEnds(session, book, index).length > 0
}

/** Nothing while it cannot be said. */
function hearsOf(session: string, state: KeptState | undefined, index: TaskIndex): boolean | undefined {
  const own = index.taskOf.get(session)
  // It is claimed, and begins yet.
  if (state === undefined || state.kind === 'absent') return own?.task.state === 'running' ? undefined : false
  if (state.kind !== 'ended') return undefined
  if (state.outcome === 'completed') return true
  if (state.outcome === 'cancelled') return false
  // Its own task has failed with it: there is nothing to go on with.
  return own === undefined
}

/** What it was not told of, when all is at an end; else nothing. */
function newEnds(session: string, { told }: Book, index: TaskIndex): readonly Placed[] {
  const members = treeOf(session, index)
  if (members.some(({ task }) => !isAtEnd(task))) return []
  const known = told.get(session)
  return known === undefined ? members : members.filter((placed) => !known.has(endOf(placed)))
}

function treeOf(session: string, index: TaskIndex): readonly Placed[] {
  const own = index.taskOf.get(session)
  const below = own === undefined ? [] : (index.children.get(own.id) ?? [])
  const members = withAllBelow([...below, ...(index.createdBy.get(session) ?? [])], index)
  return own === undefined ? members : members.filter(({ id }) => id !== own.id)
}
