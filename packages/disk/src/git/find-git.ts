import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'

/**
 * The git of this machine. Never one of a project: npm puts `node_modules/.bin` first in the path, and agents can write there.
 * Throws `configuration` when there is none.
 */
export function findGit(search: string | undefined = process.env['PATH']): string {
  for (const folder of (search ?? '').split(path.delimiter)) {
    // A name without a folder would be looked for in the current one.
    if (!path.isAbsolute(folder) || folder.split(path.sep).includes('node_modules')) continue
    for (const name of process.platform === 'win32' ? ['git.exe'] : ['git']) {
      const program = path.join(folder, name)
      try {
        accessSync(program, constants.X_OK)
        if (statSync(program).isFile()) return program
      } catch {
        // Not here.
      }
    }
  }
  throw new CadreError(
    'configuration',
    'git was not found in PATH; install it (Debian: apt install git) to keep a history of the home and of workspaces',
  )
}
