import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { ownerOnly } from '@cadre/disk'
import type { Home } from '@cadre/home'

/** What an agent receives with its next message about turns that a person has undone. One file per entry session. */
export function readNotes(home: Home, root: string): readonly string[] {
  try {
    const read: unknown = JSON.parse(readFileSync(fileOf(home, root), 'utf8'))
    return Array.isArray(read) ? read.filter((note) => typeof note === 'string') : []
  } catch {
    return []
  }
}

export function addNote(home: Home, root: string, note: string): void {
  home.folder('storage', 'checkpoints', 'notes')
  write(home, root, [...readNotes(home, root), note])
}

/** Removes the first ones, which the agent has received. */
export function removeNotes(home: Home, root: string, count: number): void {
  const left = readNotes(home, root).slice(count)
  if (left.length > 0) write(home, root, left)
  else rmSync(fileOf(home, root), { force: true })
}

function write(home: Home, root: string, notes: readonly string[]): void {
  const draft = `${fileOf(home, root)}.${process.pid}.tmp`
  writeFileSync(draft, JSON.stringify(notes), { mode: ownerOnly })
  renameSync(draft, fileOf(home, root))
}

function fileOf(home: Home, root: string): string {
  return home.at('storage', 'checkpoints', 'notes', `${root}.json`)
}
