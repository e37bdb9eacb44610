import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it, each with the mode that is asked for it. Folder by folder: Node's own recursive way never
 * returns where the system says that a folder cannot be made, as in /proc.
 */
export function makeFolder(folder: string, modeOf: (folder: string) => number): void {
  const above = dirname(folder)
  if (above !== folder && !existsSync(above)) makeFolder(above, modeOf)
  try {
    mkdirSync(folder, { mode: modeOf(folder) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
