import { isInside } from '@cadre/disk'
import type { Policy } from '@cadre/home'
import type { PathResolver } from '../paths/path-resolver.ts'
import type { PermissionSet } from '../permissions/find-permissions.ts'
import { pathRestrictions } from '../permissions/path-restrictions.ts'
import { secretPaths } from '../sandbox/secret-paths.ts'
import { createDeniedPaths } from './denied-paths.ts'

export interface UnreadableCheckOptions {
  readonly policy: Pick<Policy, 'paths' | 'decidedBy'>
  readonly permissions: PermissionSet
  readonly project: string
  readonly places: Pick<PathResolver, 'locate'>
  readonly userHome: string
}

/**
 * Returns a check for what people see of an agent's files: whether a path, relative to the workspace, is one that no agent may read, or
 * a place for secrets. If a settings file cannot be read, every path is.
 */
export function createUnreadableCheck(
  options: UnreadableCheckOptions,
): (path: string, workspace: string) => boolean {
  const { policy, permissions, project, places, userHome } = options
  if (permissions.lost.length > 0) return () => true
  const denied = createDeniedPaths({
    policy,
    more: pathRestrictions(permissions.rules, project),
    places,
    userHome,
  })
  return (path, workspace) => {
    const found = denied.find({ path, workspace, use: 'read' })
    if (found.some(({ decision, match }) => decision === 'deny' && match === 'within')) return true
    const real = places.locate(path, workspace)
    if (real === undefined) return true
    return secretPaths({ root: workspace, userHome }).some(({ place }) => isInside(place, real))
  }
}
