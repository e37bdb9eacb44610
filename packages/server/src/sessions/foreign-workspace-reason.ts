import { isInside, realPathOf } from '@cadre/disk'
import type { Home } from '@cadre/home'

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
