import { accessSync, constants, statSync } from 'node:fs'

/** True if this is a file that the user may run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
