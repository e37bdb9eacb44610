import { CadreError } from '@cadre/core'
import { findInPath } from '../system/find-in-path.ts'

/** The git of this machine, never one of a project. Throws `configuration` when there is none. */
export function findGit(search: string | undefined = process.env['PATH']): string {
  const found = findInPath(process.platform === 'win32' ? 'git.exe' : 'git', search)
  if (found !== undefined) return found
  throw new CadreError(
    'configuration',
    'git was not found in PATH; install it (Debian: apt install git) to keep a history of the home and of workspaces',
  )
}
