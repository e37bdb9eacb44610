import { isInside, realPathOf } from '@cadre/disk'
import type { Home } from '@cadre/home'

/**
 * Why a session is not taken up where it works; nothing when it may be. A session file can have come with a repository, and says
 * itself where it works.
 */
export function foreignWorkspace(
  workspace: string,
  { home, own }: { readonly home: Home; readonly own: string },
): string | undefined {
  const real = realPathOf(workspace)
  if ([own, home.at('workspaces')].some((folder) => isInside(realPathOf(folder), real))) return undefined
  return `its workspace ${workspace} is neither in ${own} nor a workspace of this home. Run "cadre resume" there, or start the daemon with --trust`
}
