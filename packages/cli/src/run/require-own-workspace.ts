import path from 'node:path'
import { CadreError, type SessionSpec, type StoredSession } from '@cadre/core'
import { isInside, realPathOf } from '@cadre/disk'
import type { Sessions } from '@cadre/runtime'
import { projectOf } from '@cadre/runtime'
import type { Io } from '../io.ts'

/**
 * A session file can have come with a repository, and says itself where it works. One that would change something elsewhere
 * on the disk than in the project of its home, or in the one the person is in, resumes only if the user agrees.
 */
export function requireOwnWorkspace(
  { spec }: StoredSession,
  { home }: Pick<Sessions, 'home'>,
  io: Io,
  trust: boolean | undefined,
): void {
  if (trust === true || io.env['CADRE_TRUST'] === '1') return
  const own = [path.dirname(home.path), io.cwd].map((folder) => realPathOf(projectOf(folder)))
  // One that is kept apart works in the home, and what it does is merged into the folder it began with.
  const inHome = spec.isolation?.kind === 'own' ? [realPathOf(home.at('workspaces'))] : []
  const isOwn = (folder: string, places: readonly string[]) =>
    places.some((place) => isInside(place, realPathOf(folder)))
  if (isOwn(spec.workspace, [...own, ...inHome]) && isOwn(sharedFolder(spec), own)) return
  throw new CadreError(
    'configuration',
    `session ${spec.id} works in ${spec.workspace}, which is neither in the project of its home directory nor in the current project. If you started it there, resume it there, or add --trust.`,
    { where: home.at('sessions', `${spec.id}.session.yaml`) },
  )
}

/** The folder whose agents, rules and hooks count for a session: the one it would work in if it were not kept apart. */
export function sharedFolder({ workspace, isolation }: SessionSpec): string {
  return isolation?.kind === 'own' ? isolation.base : workspace
}
