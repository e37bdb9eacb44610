import { lstatSync, type Stats } from 'node:fs'

/** What is at a path, links not followed; nothing where nothing is, or where nobody may look. */
export function entryAt(place: string): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
