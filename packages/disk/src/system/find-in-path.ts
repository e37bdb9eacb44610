import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'

/**
 * A program in the folders of a PATH, as far as `isUsable` accepts them. Never one of a project: npm puts `node_modules/.bin` first in
 * the path, and agents can write there.
 */
export function findInPath(
  name: string,
  search: string | undefined,
  isUsable: (folder: string) => boolean = () => true,
): string | undefined {
  for (const folder of (search ?? '').split(path.delimiter)) {
    // A name without a folder would be looked for in the current one.
    if (!path.isAbsolute(folder) || folder.split(path.sep).includes('node_modules')) continue
    if (!isUsable(folder)) continue
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
