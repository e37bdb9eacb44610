import { createPathResolver, createUnreadableCheck, findPermissions } from '@cadre/gate'
import type { Home } from '@cadre/home'
import type { Environment } from '../environment.ts'
import { faultsOf, loadPolicyFor } from '../policy-of-run.ts'
import { projectOf, userPaths } from '../user-paths.ts'

/**
 * Returns a check whether no agent may read a path, by the policies and settings as they are now. The path is relative to the given
 * workspace. While a policy is invalid, its restrictions are unknown, so no path may be read.
 */
export async function unreadablePaths(
  io: Environment,
  { home, workspace }: { readonly home: Home; readonly workspace: string },
): Promise<(path: string, workspace: string) => boolean> {
  const userHome = userPaths(io.env).home
  // Restrictions apply without trust. What an untrusted file allows does not matter here.
  const policy = await loadPolicyFor(io, home, false)
  if (faultsOf(policy).length > 0) return () => true
  const project = projectOf(workspace)
  const permissions = findPermissions({ project, userHome, trusted: () => false })
  return createUnreadableCheck({
    policy,
    permissions,
    project,
    places: createPathResolver({ home: home.path, userHome, project }),
    userHome,
  })
}
