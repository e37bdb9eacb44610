import type { PathResolver } from '../paths/path-resolver.ts'
import { type GuardedPaths, guardedPaths } from './guarded-paths.ts'
import { type RecordedState, type Snapshot, takeSnapshot } from './keep-snapshot.ts'

/**
 * The state of protected places before any command ran. Shared by all commands of this process:
 *
 * 1. Overlapping commands share the state that the first one found, so that none takes a change of another for the
 *    original.
 * 2. The state is dropped when the last of them has released it, not earlier.
 */
export interface Baseline {
  readonly guarded: GuardedPaths
  snapshot(paths: readonly string[], skip?: (path: string) => boolean): Snapshot
  release(): void
}

interface Shared<T> {
  readonly value: T
  users: number
}

const folders = new Map<string, Shared<GuardedPaths>>()
const parts = new Map<string, Shared<Snapshot>>()

export function acquireBaseline(workspace: string, places: PathResolver): Baseline {
  const held: (() => void)[] = []
  const guarded = share(folders, workspace, held, () => guardedPaths(workspace, places))
  return {
    guarded,
    snapshot(paths, skip) {
      const all = paths.map((place) => share(parts, place, held, () => takeSnapshot([place], skip)))
      return joinSnapshots(paths, all)
    },
    release() {
      for (const giveBack of held.splice(0)) giveBack()
    },
  }
}

function share<T>(all: Map<string, Shared<T>>, key: string, held: (() => void)[], find: () => T): T {
  const entry = all.get(key) ?? { value: find(), users: 0 }
  entry.users++
  all.set(key, entry)
  held.push(() => {
    entry.users--
    if (entry.users === 0) all.delete(key)
  })
  return entry.value
}

function joinSnapshots(paths: readonly string[], all: readonly Snapshot[]): Snapshot {
  const kept = new Map<string, RecordedState>()
  const above = new Map<string, RecordedState>()
  for (const one of all) {
    for (const [place, found] of one.kept) kept.set(place, found)
    for (const [place, found] of one.above) above.set(place, found)
  }
  return { paths, kept, above }
}
