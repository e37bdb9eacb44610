import { CadreError } from '@cadre/core'
import type { Home } from '@cadre/home'
import { readProjected, type SessionSummary } from '@cadre/journal'
import type { Sessions } from '@cadre/runtime'

/** Returns whether no process runs the tree of this session: not on this machine, and no worker of a place. */
export function isTreeStill({ owner, home }: Sessions, root: string): boolean {
  return owner(root) === undefined && !isOnWorkers(home, root)
}

function isOnWorkers(home: Home, root: string): boolean {
  try {
    return readProjected(home, root)?.place !== undefined
  } catch (error) {
    // Unknown, so it is not called stopped. `cadre sessions show` reports a damaged file.
    if (error instanceof CadreError) return true
    throw error
  }
}

export interface ListedSessions {
  readonly all: readonly SessionSummary[]
  /** The sessions that were working when their process ended, with their root. */
  readonly stopped: ReadonlyMap<string, string>
}

/** Lists all sessions, and finds those whose header says that they are working although their process has ended. */
export async function listWithStopped(sessions: Sessions): Promise<ListedSessions> {
  const found = await sessions.list()
  const still = new Map<string, boolean>()
  const isStill = (root: string) => {
    const known = still.get(root) ?? isTreeStill(sessions, root)
    still.set(root, known)
    return known
  }
  const rootOf = rootFinder(found)
  const suspects = new Map(
    found.flatMap(({ id, status }) => (status === 'active' && isStill(rootOf(id)) ? [[id, rootOf(id)]] : [])),
  )
  if (suspects.size === 0) return { all: found, stopped: suspects }
  // A session may have ended before its process was looked up. So only headers that are read after that count.
  const all = await sessions.list()
  const active = new Set(all.flatMap(({ id, status }) => (status === 'active' ? [id] : [])))
  return { all, stopped: new Map([...suspects].filter(([id]) => active.has(id))) }
}

function rootFinder(all: readonly SessionSummary[]): (id: string) => string {
  const parents = new Map(all.map(({ id, parent }) => [id, parent?.split('/')[0]]))
  return (id) => {
    // Headers can be edited, so cycles are possible.
    const seen = new Set<string>()
    let root = id
    for (let above = parents.get(id); above !== undefined && !seen.has(above); above = parents.get(above)) {
      seen.add(above)
      root = above
    }
    return root
  }
}
