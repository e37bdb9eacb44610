import path from 'node:path'
import { CadreError, type SessionSpec, type StoredSession } from '@cadre/core'
import { isInside, realPathOf } from '@cadre/disk'
import type { Environment } from './environment.ts'
import type { Sessions } from './open-sessions.ts'
import { projectOf } from './user-paths.ts'

/**
 * A session file can be part of a repository, and names its own workspace. A session that would change files outside the
 * project of its home and the current project resumes only with the user's consent.
 */
export function requireOwnWorkspace(
  { spec }: StoredSession,
  { home }: Pick<Sessions, 'home'>,
  io: Pick<Environment, 'env' | 'cwd'>,
  trust: boolean | undefined,
): void {
  if (trust === true || io.env['CADRE_TRUST'] === '1') return
  const own = [path.dirname(home.path), io.cwd].map((folder) => realPathOf(projectOf(folder)))
  // An isolated session works in the home, and its changes are merged into its original folder.
  const inHome = spec.isolation?.kind === 'own' ? [realPathOf(home.at('workspaces'))] : []
  const isOwn = (folder: string, places: readonly string[]) =>
    places.some((place) => isInside(place, realPathOf(folder)))
  if (isOwn(spec.workspace, [...own, ...inHome]) && isOwn(sharedFolder(spec), own)) return
  throw new CadreError(
    'configuration',
    `session ${spec.id} works in ${spec.workspace}, which is neither in its home directory's project nor in the current project. If you started it there, resume it there, or add --trust.`,
    { where: home.at('sessions', `${spec.id}.session.yaml`) },
  )
}

/** The folder whose agents, rules and hooks apply to a session: its folder without isolation. */
export function sharedFolder({ workspace, isolation }: SessionSpec): string {
  return isolation?.kind === 'own' ? isolation.base : workspace
}
