import { isInside, realPathOf } from '@cadre/disk'
import type { Home } from '@cadre/home'
import type { SessionRunsOptions } from './session-runs.ts'

/**
 * Returns the reason why a session may not be resumed in its workspace, or `undefined`. A session file can come from a cloned repository,
 * and names its own workspace.
 */
export function foreignWorkspaceReason(
  workspace: string,
  { home, own }: { readonly home: Home; readonly own: string },
): string | undefined {
  const real = realPathOf(workspace)
  if ([own, home.at('workspaces')].some((folder) => isInside(realPathOf(folder), real))) return undefined
  return `the session's workspace ${workspace} is neither in ${own} nor a workspace in this home directory. Run "cadre resume" there, or start the daemon with --trust`
}

/** Returns the reason why this daemon may not run a session in its workspace, or `undefined`. The rule is the same on all engines. */
export function whyNotIn(
  { root, workspace }: { readonly root: string; readonly workspace: string },
  options: Pick<SessionRunsOptions, 'home' | 'workspace' | 'trusted' | 'parts'>,
): string | undefined {
  const { home, workspace: own, trusted, parts } = options
  if (trusted) return undefined
  return parts().parts.leaves?.(root) ?? foreignWorkspaceReason(workspace, { home, own })
}
