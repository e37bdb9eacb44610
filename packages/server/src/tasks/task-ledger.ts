/**
 * Owns the state of tasks that is not in their files: the session of each task, even after its line was removed, the task ends that
 * sessions were notified of, and the progress of each task. Called only by the task duty.
 *
 * 1. A claim is written to the task, then to the ledger, and then its session starts. A claim that is only on the task was never started,
 *    or is adopted from there.
 * 2. A session is notified of an end before the ledger records it. After a crash in between, the same message is sent again, and the
 *    session receives it once.
 * 3. Marks are written after the lines they describe, and a lost mark is derived from its line again. Only when a line loses its session is
 *    the mark written first.
 * 4. In a home without a ledger no daemon has run before, so nobody is notified of tasks that have already ended there.
 */

import { writeFileAtomically } from '@cadre/channels'
import { isObject } from '@cadre/core'
import { readRegularFile } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { isMark, type TaskMark } from './marks.ts'
import type { Claim } from './task-book.ts'

const claimsFile = 'task-claims.json'
const notifiedFile = 'task-told.json'
const marksFile = 'task-marks.json'

export class TaskLedger {
  readonly claims: Map<string, Claim>
  readonly told: Map<string, Set<string>>
  /** The progress of each task, by its id. */
  readonly marks: Map<string, TaskMark>
  /** True if there was no ledger, so no daemon has handled these tasks before. */
  readonly isNew: boolean
  private readonly home: Home
  private isOver = false
  private isUnwritten = false

  constructor(home: Home) {
    this.home = home
    const told = readObject(home.at('storage', 'cursors', notifiedFile))
    this.isNew = told === undefined
    this.told = new Map(
      Object.entries(told ?? {}).map(([session, ends]) => [
        session,
        new Set(Array.isArray(ends) ? ends.filter(isText) : []),
      ]),
    )
    this.claims = readMap(home, claimsFile, isClaim)
    this.marks = readMap(home, marksFile, isMark)
  }

  claim(id: string, claim: Claim): void {
    this.claims.set(id, claim)
    this.writeClaims()
  }

  forget(id: string): void {
    if (this.claims.delete(id)) this.writeClaims()
  }

  tell(ends: ReadonlyMap<string, readonly string[]>): void {
    for (const [session, more] of ends) {
      const known = this.told.get(session) ?? new Set()
      for (const end of more) known.add(end)
      this.told.set(session, known)
    }
    const text = JSON.stringify(
      Object.fromEntries([...this.told].map(([session, known]) => [session, [...known]])),
    )
    this.write(notifiedFile, text, true)
  }

  mark(id: string, mark: TaskMark): void {
    this.marks.set(id, mark)
    this.isUnwritten = true
  }

  unmark(id: string): void {
    if (this.marks.delete(id)) this.isUnwritten = true
  }

  /** Writes the marks if they have changed. */
  keepMarks(): void {
    if (!this.isUnwritten) return
    this.write(marksFile, JSON.stringify(Object.fromEntries(this.marks)), false)
    this.isUnwritten = false
  }

  /** Writes nothing from here on. */
  close(): void {
    this.isOver = true
  }

  get isClosed(): boolean {
    return this.isOver
  }

  private writeClaims(): void {
    this.write(claimsFile, JSON.stringify(Object.fromEntries(this.claims)), false)
  }

  /** Claims can be restored from the tasks, so only other state must survive a power loss. */
  private write(name: string, text: string, durable: boolean): void {
    if (this.isOver) return
    writeFileAtomically(this.home, ['storage', 'cursors', name], text, { durable })
  }
}

function readMap<T>(home: Home, name: string, isOne: (value: unknown) => value is T): Map<string, T> {
  const read = Object.entries(readObject(home.at('storage', 'cursors', name)) ?? {})
  return new Map(read.flatMap(([id, value]) => (isOne(value) ? [[id, value] as const] : [])))
}

function readObject(file: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readRegularFile(file).toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    // Missing or incomplete: treat the tasks as new.
    return undefined
  }
}

function isClaim(value: unknown): value is Claim {
  if (!isObject(value)) return false
  const { session, agent, file, text, said } = value
  return [session, agent, file, text].every(isText) && typeof said === 'number'
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
