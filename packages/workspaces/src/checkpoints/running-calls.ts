import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isAlive, listFolder, ownerOnly, type ProcessIdentity, thisProcess } from '@cadre/disk'

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

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Calls that are recorded as running. */
  list(): readonly RunningCall[] {
    return listFolder(this.#folder).flatMap((name) => {
      try {
        return [JSON.parse(readFileSync(path.join(this.#folder, name), 'utf8')) as RunningCall]
      } catch {
        return []
      }
    })
  }

  add(call: Omit<RunningCall, 'process'>): void {
    const running: RunningCall = { ...call, process: this.#self }
    writeFileSync(this.#fileOf(call.id), JSON.stringify(running), { mode: ownerOnly })
  }

  remove(id: string): void {
    rmSync(this.#fileOf(id), { force: true })
  }

  isAlive({ id, process }: RunningCall): boolean {
    const heard = statSync(this.#fileOf(id), { throwIfNoEntry: false })?.mtimeMs ?? 0
    return isAlive(process, this.#self, heard)
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, createHash('sha256').update(id).digest('hex').slice(0, 32))
  }
}
