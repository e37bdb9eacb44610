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
const mostFiles = 32
const open = new Map<string, IdIndex>()

/** Returns this process's index of a file. Indexes that were not used for long are dropped and rebuilt when needed. */
export function idIndex(place: string): IdIndex {
  const index = open.get(place) ?? new IdIndex(place)
  open.delete(place)
  open.set(place, index)
  for (const [oldest] of open) {
    if (open.size <= mostFiles) break
    open.delete(oldest)
  }
  return index
}
