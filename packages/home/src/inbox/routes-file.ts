import { textOf } from '@cadre/disk'
import { readPlainFile } from '../home/edit-shared-file.ts'
import type { Home } from '../home/home.ts'
import { type ParsedRoutes, readRoutes } from './read-routes.ts'

export type CurrentRoutes =
  /** There is no `inbox/routes.yaml`. */
  { readonly kind: 'none' } | ({ readonly kind: 'read' } & ParsedRoutes)

/** Returns the current content of `inbox/routes.yaml`. Parses it again only if it has changed. */
export function openRoutes(home: Home): () => CurrentRoutes {
  const shown = 'inbox/routes.yaml'
  let raw: string | undefined
  let now: CurrentRoutes = { kind: 'none' }
  return () => {
    const found = readPlainFile(home.at('inbox', 'routes.yaml'))
    if (found !== raw) {
      raw = found
      now = found === undefined ? { kind: 'none' } : { kind: 'read', ...readRoutes(textOf(found), shown) }
    }
    return now
  }
}
