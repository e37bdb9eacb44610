import { readdirSync } from 'node:fs'

/** What is in a folder; nothing when it is not there or may not be looked into. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
