import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'

/**
 * A program that is to run outside of the sandbox. Never one of a workspace: npm puts `node_modules/.bin` of a project first
 * in the path, and agents can write there.
 */
export function findProgram(name: string, env: NodeJS.ProcessEnv, workspace?: string): string | undefined {
  for (const folder of (env['PATH'] ?? '').split(path.delimiter)) {
    // A name without a folder would be looked for in the current one.
    if (!path.isAbsolute(folder) || folder.split(path.sep).includes('node_modules')) continue
    if (isInside(process.cwd(), folder) && process.cwd() !== '/') continue
    if (workspace !== undefined && isInside(workspace, folder)) continue
    const program = path.join(folder, name)
    try {
      accessSync(program, constants.X_OK)
      if (statSync(program).isFile()) return program
    } catch {
      // Not here.
    }
  }
  return undefined
}
