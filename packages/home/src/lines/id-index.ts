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

  /** Takes up what is there in pieces, so that a large file keeps nobody waiting. Needs no lock. */
  async prepare(): Promise<void> {
    while (this.file.look(pieceSize)) await breathe()
  }

  /** Takes up the rest. What it says afterwards holds for as long as the lock on the file is held. */
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

/** The one of this process for a file. Those that were not used for long are dropped, and read again when they are needed. */
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
