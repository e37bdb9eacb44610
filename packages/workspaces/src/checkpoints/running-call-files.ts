import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import {
  isAlive,
  listFolder,
  ownerOnly,
  type ProcessIdentity,
  thisProcess,
  unlinkIfExists,
} from '@cadre/disk'

/** The files of a call, relative to the folder, or everything. */
export type CallScope = 'all' | readonly string[]

export interface RunningCall {
  /** Unique in its process: the session and the call. */
  readonly id: string
  readonly turn: string
  readonly scope: CallScope
}

/** The content of a file: the running calls of one process. */
interface Note {
  readonly process: ProcessIdentity
  readonly calls: readonly RunningCall[]
}

/**
 * Records running calls, one file for each process, so that another process finds those of a process that has ended. All
 * methods need the lock of the checkpoints.
 */
export class RunningCallFiles {
  readonly #folder: string
  readonly #self = thisProcess()
  readonly #name = randomUUID()
  readonly #own = new Map<string, RunningCall>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Calls that are recorded as running. */
  list(): readonly RunningCall[] {
    return [...this.#own.values(), ...this.#others().flatMap(({ note }) => note.calls)]
  }

  /** Records with one write that calls of this process have started and finished. */
  change({ start = [], finish = [] }: { start?: readonly RunningCall[]; finish?: readonly string[] }): void {
    for (const call of start) this.#own.set(call.id, call)
    for (const id of finish) this.#own.delete(id)
    const file = path.join(this.#folder, this.#name)
    if (this.#own.size === 0) {
      unlinkIfExists(file)
      return
    }
    const note: Note = { process: this.#self, calls: [...this.#own.values()] }
    // Replaced as a whole: a process that is killed here leaves the old calls or the new ones, never half of a file.
    const draft = `${this.#folder}.tmp`
    writeFileSync(draft, JSON.stringify(note), { mode: ownerOnly })
    renameSync(draft, file)
  }

  /** Calls of processes that have ended, and what forgets them. */
  dead(): { readonly calls: readonly RunningCall[]; forget(): void } {
    const dead = this.#others().filter(({ file, note }) => {
      const heard = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
      return !isAlive(note.process, this.#self, heard)
    })
    return {
      calls: dead.flatMap(({ note }) => note.calls),
      forget: () => {
        for (const { file } of dead) unlinkIfExists(file)
      },
    }
  }

  #others(): { readonly file: string; readonly note: Note }[] {
    return listFolder(this.#folder).flatMap((name) => {
      if (name === this.#name) return []
      const file = path.join(this.#folder, name)
      try {
        const read = JSON.parse(readFileSync(file, 'utf8')) as Note | (RunningCall & Pick<Note, 'process'>)
        // Earlier builds wrote a file for each call.
        return [{ file, note: 'calls' in read ? read : { process: read.process, calls: [read] } }]
      } catch {
        return []
      }
    })
  }
}
