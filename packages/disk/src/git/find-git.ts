import { CadreError } from '@cadre/core'
import { findInPath } from '../system/find-in-path.ts'

/** Finds the installed git, never one inside a project. Throws `configuration` if there is none. */
export function findGit(search: string | undefined = process.env['PATH']): string {
  const found = findInPath(process.platform === 'win32' ? 'git.exe' : 'git', search)
  if (found !== undefined) return found
  throw new CadreError(
    'configuration',
    `git is not in PATH. Cadre needs it for the home directory's history and for workspaces. Install it (Debian: "apt install git").`,
  )
}
