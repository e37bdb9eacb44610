import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'

/**
 * Finds a program in the folders of a PATH, if `isUsable` accepts it. Skips `node_modules/.bin`, which npm puts first in the path, because
 * agents can write there.
 */
export function findInPath(
  name: string,
  search: string | undefined,
  isUsable: (folder: string) => boolean = () => true,
): string | undefined {
  for (const folder of (search ?? '').split(path.delimiter)) {
    // A relative folder would depend on the current folder.
    if (!path.isAbsolute(folder) || folder.split(path.sep).includes('node_modules')) continue
    if (!isUsable(folder)) continue
    const program = path.join(folder, name)
    try {
      accessSync(program, constants.X_OK)
      if (statSync(program).isFile()) return program
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}
