import { realpathSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import type { Home } from '@cadre/home'

/**
 * Why a session is not taken up where it works; nothing when it may be. A session file can have come with a repository, and says
 * itself where it works.
 */
export function foreignWorkspace(
  workspace: string,
  { home, own }: { readonly home: Home; readonly own: string },
): string | undefined {
  const real = realOf(workspace)
  if ([own, home.at('workspaces')].some((folder) => isInside(realOf(folder), real))) return undefined
  return `it works in ${workspace}, which belongs neither to ${own} nor to the workspaces of this home; continue it with \`cadre resume\` there, or start the daemon with --trust`
}

/** A folder that is not there is what its name says, below what there is of it. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    const above = path.dirname(folder)
    return above === folder ? folder : path.join(realOf(above), path.basename(folder))
  }
}
