import { entriesIn, entryAt, isSameStamp, type Stamp, stampOf } from '@cadre/disk'

export interface FolderEntry {
  readonly name: string
  /** Relative to the whole folder, with `/`. */
  readonly path: string
  readonly isFolder: boolean
}

/** More folders than a checkpoint covers. */
const maxFolders = 200_000

/**
 * Caches the names in folders. A folder is read again only after it has changed: adding, removing or replacing an entry
 * changes the times of the folder. On Windows not every file system does so, so each folder is read.
 */
export class FolderLists {
  readonly #known = new Map<string, { stamp: Stamp; seen: number; entries: readonly FolderEntry[] }>()
  /** Incremented when a folder is read. */
  version = 0

  /** `top`: the whole folder. `at`: a folder in it, or empty for itself. */
  entriesOf(top: string, at: string): readonly FolderEntry[] {
    const place = at === '' ? top : `${top}/${at}`
    const seen = Date.now()
    // Taken before the names are read, so that the next scan sees a change in between as a different stamp.
    const stamp = stampOf(entryAt(place))
    const known = this.#known.get(at)
    const isSure = known !== undefined && process.platform !== 'win32'
    if (isSure && isSameStamp(known.stamp, known.seen, stamp)) return known.entries
    const entries = entriesIn(place).map((entry) => ({
      name: entry.name,
      path: at === '' ? entry.name : `${at}/${entry.name}`,
      isFolder: entry.isDirectory(),
    }))
    // Deleted folders are not removed one by one.
    if (this.#known.size >= maxFolders) this.#known.clear()
    this.#known.set(at, { stamp, seen, entries })
    this.version++
    return entries
  }
}
