import type { EntryNumbers } from './entry-numbers.ts'
import { readEntryLeniently, Unreadable } from './read-leniently.ts'

/** Adds an entry in any notation. Returns false if it cannot be read alone: the whole file may be readable, or gives a better message. */
export function addChunk(chunk: string, numbers: EntryNumbers): boolean {
  if (!chunk.startsWith('  - ')) return false
  try {
    return numbers.addLoose(readEntryLeniently(chunk))
  } catch (error) {
    if (error instanceof Unreadable) return false
    throw error
  }
}
