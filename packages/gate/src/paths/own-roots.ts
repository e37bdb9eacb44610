import { statSync } from 'node:fs'
import path from 'node:path'
import { type ProtectedRoot, rootsIn } from './protected-roots.ts'

interface OwnRoot {
  /** The first step of the way to it. */
  readonly first: string
  readonly entry: ProtectedRoot
}

/** The protected places of a workspace that can be there, by one look at each first step, without those that are `named` already. */
export function createOwnRoots(named: readonly ProtectedRoot[]): (root: string) => ProtectedRoot[] {
  const known = new Map<string, readonly OwnRoot[]>()
  const allIn = (root: string): readonly OwnRoot[] => {
    const made = known.get(root)
    if (made !== undefined) return made
    const own = rootsIn(root)
      .filter((entry) => !named.some((other) => other.path === entry.path))
      .map((entry) => {
        const [name = ''] = entry.path.slice(root.length + 1).split(path.sep)
        return { first: path.join(root, name), entry }
      })
    if (known.size > 1_000) known.clear()
    known.set(root, own)
    return own
  }
  return (root) => {
    const seen = new Map<string, boolean>()
    return allIn(root).flatMap(({ first, entry }) => {
      const isThere = seen.get(first) ?? exists(first)
      seen.set(first, isThere)
      return isThere ? [entry] : []
    })
  }
}

function exists(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
