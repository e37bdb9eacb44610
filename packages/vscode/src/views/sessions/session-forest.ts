import type { SessionSummary } from '@cadre/journal'

/** A session as the view lists it. */
export interface ListedSession extends SessionSummary {
  /** Why the file cannot be read. */
  readonly fault?: string
}

/** Sessions by delegation. Every session is included once, whatever the files claim. */
export interface SessionForest {
  readonly entries: ReadonlyMap<string, ListedSession>
  /** Entry sessions, newest first, and those whose parent is missing. */
  readonly roots: readonly string[]
  /** In order of their start. */
  readonly children: ReadonlyMap<string, readonly string[]>
  rootOf(id: string): string
}

export function buildForest(list: readonly ListedSession[]): SessionForest {
  const entries = new Map(list.map((entry) => [entry.id, entry]))
  const rootOf = findRoots(entries)
  const roots: string[] = []
  const children = new Map<string, string[]>()
  for (const { id, parent = '' } of [...entries.values()].sort(byAge)) {
    const siblings = rootOf(id) === id ? roots : children.get(parent)
    if (siblings === undefined) children.set(parent, [id])
    else siblings.push(id)
  }
  return { entries, roots: roots.reverse(), children, rootOf }
}

/** Headers can be edited: in a cycle of sessions, the first one is treated as the root. */
function findRoots(entries: ReadonlyMap<string, ListedSession>): (id: string) => string {
  const known = new Map<string, string>()
  return (id) => {
    const path = new Set<string>()
    let at = id
    for (;;) {
      const parent = entries.get(at)?.parent
      if (known.has(at) || path.has(at) || parent === undefined || !entries.has(parent)) break
      path.add(at)
      at = parent
    }
    const root = known.get(at) ?? at
    known.set(at, root)
    for (const one of path) known.set(one, root)
    return root
  }
}

function byAge(a: ListedSession, b: ListedSession): number {
  if (a.created === b.created) return a.id < b.id ? -1 : 1
  return a.created < b.created ? -1 : 1
}
