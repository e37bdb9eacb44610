import { readdirSync } from 'node:fs'
import { isOutOfFiles } from '../system/system-trouble.ts'

/**
 * What is in a folder; nothing when it is not there or may not be looked into. Throws when no more files can be opened: nobody
 * may take a full folder for an empty one.
 */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isOutOfFiles(error)) throw error
    return []
  }
}
