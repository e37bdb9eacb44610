import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isObject } from '@cadre/core'
import { listFolder, ownerOnly } from '@cadre/disk'
import { type FileState, isSameState } from './file-state.ts'

/** Why it is unknown whether a change is only from the turn. */
export type AttributionUncertainty =
  /** Someone else changed the file between two changes of the turn. */
  | 'between'
  /** Another session was running a call in the folder at the same time. */
  | 'contested'
  /** The process ended during a call, so later changes cannot be distinguished. */
  | 'interrupted'

export interface Change {
  readonly before: FileState
  readonly after: FileState
  readonly doubt?: AttributionUncertainty
}

/** One step of an undo or redo: a path before and after. */
export interface Step {
  readonly path: string
  readonly from: FileState
  readonly to: FileState
}

/** What a turn changed in a folder. */
export interface TurnRecord {
  readonly id: string
  /** The entry session. */
  readonly session: string
  /** The start of the person's message. */
  readonly prompt: string
  readonly started: string
  /** When it last changed something. */
  readonly updated: string
  /** The generation of the picture with these changes. */
  readonly generation: number
  readonly changes: Readonly<Record<string, Change>>
  /** Folders and files with possible changes that are not recorded. */
  readonly uncovered: readonly string[]
  /** Why its changes are incomplete. */
  readonly incomplete?: string
  /** Set while it is undone: the steps that a redo reverts. */
  readonly undone?: { readonly at: string; readonly by: string; readonly steps: readonly Step[] }
}

const ending = '.json'

export function readTurn(folder: string, id: string): TurnRecord | undefined {
  try {
    const read: unknown = JSON.parse(readFileSync(path.join(folder, `${id}${ending}`), 'utf8'))
    return isObject(read) && isObject(read['changes']) ? (read as unknown as TurnRecord) : undefined
  } catch {
    return undefined
  }
}

export function writeTurn(folder: string, turn: TurnRecord): void {
  const file = path.join(folder, `${turn.id}${ending}`)
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, `${JSON.stringify(turn)}\n`, { mode: ownerOnly })
  renameSync(draft, file)
}

export function removeTurn(folder: string, id: string): void {
  rmSync(path.join(folder, `${id}${ending}`), { force: true })
}

/** All ids, newest first. */
export function listTurns(folder: string): readonly string[] {
  return listFolder(folder)
    .flatMap((name) => (name.endsWith(ending) ? [name.slice(0, -ending.length)] : []))
    .sort()
    .reverse()
}

/** Starts with a number, so that ids sort by turn; the session follows. */
export function nextTurnId(folder: string, session: string): string {
  const last = Number.parseInt(listTurns(folder)[0] ?? '0', 10) || 0
  return `${String(last + 1).padStart(8, '0')}-${session}`
}

export function sessionOfTurn(id: string): string {
  return id.slice(id.indexOf('-') + 1)
}

/** Combines the changes of a turn with later ones. */
export function withChanges(
  changes: Readonly<Record<string, Change>>,
  later: readonly (readonly [path: string, change: Change])[],
): Readonly<Record<string, Change>> {
  const all = new Map(Object.entries(changes))
  for (const [name, { before, after, doubt }] of later) {
    const known = all.get(name)
    const isBroken = known !== undefined && !isSameState(known.after, before)
    const why = known?.doubt ?? (isBroken ? 'between' : undefined) ?? doubt
    const first = known?.before ?? before
    if (isSameState(first, after) && why === undefined) all.delete(name)
    else all.set(name, { before: first, after, ...(why && { doubt: why }) })
  }
  return Object.fromEntries(all)
}
