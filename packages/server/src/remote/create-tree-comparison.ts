import type { PlaceSessions } from './place-sessions.ts'
import type { TreeChecks } from './tree-checks.ts'

export interface TreeComparison {
  /** Writes the files of all trees that others may have continued or ended. Again, if more may have changed in the meantime. */
  compareAll(): Promise<void>
  close(): void
}

export function createTreeComparison(sessions: PlaceSessions, checks: TreeChecks): TreeComparison {
  let isComparing = false
  /** Trees may have changed since the comparison began. */
  let isStale = false
  let isClosed = false
  return {
    async compareAll() {
      isStale = true
      if (isComparing) return
      isComparing = true
      try {
        while (isStale && !isClosed) {
          isStale = false
          for (const [root, agent] of await sessions.unfinishedRoots()) await checks.check(root, agent)
        }
      } finally {
        isComparing = false
      }
    },
    close() {
      isClosed = true
    },
  }
}
