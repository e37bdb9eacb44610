import { realpathSync } from 'node:fs'
import { findHooks } from '@cadre/gate'
import { createTrust, type TrustItem } from '@cadre/home'
import { userPlaces } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import type { TeamFileStatus } from './place-team-files.ts'

/**
 * Hooks that were written just now, on a person's command, need no further word, where every script they name is of the team as
 * well. What else lies in the folder, and a file that was kept, is as little trusted as before.
 */
export function trustWritten(io: Io, project: string, files: readonly TeamFileStatus[]): void {
  const { trust, home: userHome } = userPlaces(io.env)
  const items = hooksOf(project, userHome, files)
  if (items.length > 0) createTrust({ file: trust }).add(items)
}

function hooksOf(project: string, userHome: string, files: readonly TeamFileStatus[]): TrustItem[] {
  // One that was there and is exactly what would be written is what the person asked for.
  const own = new Set(
    files
      .filter(({ status }) => status === 'created' || status === 'replaced' || status === 'unchanged')
      .flatMap(({ path }) => [path, realpathSync(path)]),
  )
  const found = findHooks({ project, userHome, trusted: () => false })
  return found.files
    .filter(({ path, level }) => level === 'project' && own.has(path))
    .filter(({ path }) =>
      found.hooks
        .filter((hook) => hook.path === path)
        .every(({ scripts = [] }) =>
          scripts.every((script) => script.sha256 === undefined || own.has(script.path)),
        ),
    )
    .map(({ path, sha256 }) => ({ path, sha256 }))
}
