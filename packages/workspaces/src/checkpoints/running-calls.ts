import { hash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isAlive, listFolder, ownerOnly, type ProcessIdentity, thisProcess, unlinkIfThere } from '@cadre/disk'

/** The files of a call, relative to the folder, or everything. */
export type Scope = 'all' | readonly string[]

export interface RunningCall {
  /** Unique: the session and the call. */
  readonly id: string
  readonly turn: string
  readonly scope: Scope
  readonly process: ProcessIdentity
}

/** Records running calls, one file each, so that another process finds those of a process that has ended. */
export class RunningCalls {
  readonly #folder: string
  readonly #self = thisProcess()
  /** The calls of this object, by the names of their files, so that they are not read back. */
  readonly #own = new Map<string, RunningCall>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Calls that are recorded as running. */
  list(): readonly RunningCall[] {
    return listFolder(this.#folder).flatMap((name) => {
      const own = this.#own.get(name)
      if (own !== undefined) return [own]
      try {
        return [JSON.parse(readFileSync(path.join(this.#folder, name), 'utf8')) as RunningCall]
      } catch {
        return []
      }
    })
  }

  add(call: Omit<RunningCall, 'process'>): void {
    const running: RunningCall = { ...call, process: this.#self }
    const name = nameOf(call.id)
    writeFileSync(path.join(this.#folder, name), JSON.stringify(running), { mode: ownerOnly })
    this.#own.set(name, running)
  }

  remove(id: string): void {
    const name = nameOf(id)
    unlinkIfThere(path.join(this.#folder, name))
    this.#own.delete(name)
  }

  isAlive({ id, process }: RunningCall): boolean {
    const name = nameOf(id)
    if (this.#own.has(name)) return true
    const heard = statSync(path.join(this.#folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
    return isAlive(process, this.#self, heard)
  }
}

function nameOf(id: string): string {
  return hash('sha256', id).slice(0, 32)
}
