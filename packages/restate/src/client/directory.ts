import { type Ingress, ifKnown } from '../ingress.ts'
import type { PlaceNames } from '../place-names.ts'
import { directoryKey } from '../worker/directory-service.ts'
import type { Changes, ChangesQuery } from '../worker/handlers.ts'

/** The directory of a place, as its clients see it. */
export interface Directory {
  /** Returns the root of a child session. */
  rootOf(session: string): Promise<string | undefined>
  /** Waits for changes for some seconds. */
  changes(query: ChangesQuery, signal: AbortSignal): Promise<Changes>
}

/** Workers of older versions have no directory: nothing is known then. */
export function createDirectory(ingress: Ingress, names: PlaceNames, scope = ''): Directory {
  const key = scope + directoryKey
  return {
    async rootOf(session) {
      const found = ifKnown(ingress.call(names.directory, key, 'rootOf', session), null)
      return ((await found) as string | null) ?? undefined
    },
    changes: async (query, signal) =>
      (await ingress.call(names.directory, key, 'changes', query, signal)) as Changes,
  }
}
