import { setImmediate as breathe } from 'node:timers/promises'
import { FollowedFile } from './followed-file.ts'
import { IdTable } from './id-table.ts'

/** The ids that are in a file of lines: read once, then followed. */
export class IdIndex {
  private ids = new IdTable()
  private readonly file: FollowedFile

  constructor(place: string) {
    this.file = new FollowedFile(place, {
      take: ({ id }) => {
        if (typeof id === 'string') this.ids.add(id)
      },
      forget: () => {
        this.ids = new IdTable()
      },
    })
  }

  /** Reads the file in pieces, so that a large one does not block the process. Needs no lock. */
  async prepare(): Promise<void> {
    while (this.file.look(pieceSize)) await breathe()
  }

  /** Reads the rest. The index is then correct as long as the lock on the file is held. */
  refresh(): void {
    this.file.look()
  }

  has(id: string): boolean {
    return this.ids.has(id)
  }
}

const pieceSize = 512 << 10
const maxFiles = 32
const openIndexes = new Map<string, IdIndex>()

/** Returns this process's index of a file. Indexes that were not used for long are dropped and rebuilt when needed. */
export function openIdIndex(place: string): IdIndex {
  const index = openIndexes.get(place) ?? new IdIndex(place)
  openIndexes.delete(place)
  openIndexes.set(place, index)
  for (const [oldest] of openIndexes) {
    if (openIndexes.size <= maxFiles) break
    openIndexes.delete(oldest)
  }
  return index
}
