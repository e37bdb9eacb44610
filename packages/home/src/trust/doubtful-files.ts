/**
 * Session files that changed while a command ran without a sandbox. The process that ran the command cannot tell its changes from those of
 * the daemon, so it leaves a note before it reports that the command has ended. The daemon does not read such a file as a person's edit: it
 * writes the record of the session to it.
 *
 * 1. Each note has its own name, so that the daemon removes only notes that it has seen.
 * 2. A command can write notes, which costs a person's edit its effect, but not its content. A note that a command removes is replaced.
 * 3. The daemon removes no notes while such a command runs, so one note is enough for commands that overlap.
 */
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { listFolder } from '@cadre/disk'
import type { Home } from '../home/home.ts'
import { isOwnWrite, rememberOwnWrite } from './unsandboxed-command.ts'

/** The folder of the notes, in the home. */
export const doubtsFolder = ['storage', 'doubts'] as const

/** The folder, in the home, with what the daemon last wrote to the files of sessions that workers run. */
export const projectedFolder = ['storage', 'projected'] as const

/** The key in the header of a session file that names the place whose workers run the session. */
export const placeKey = 'engine_place'

export function noteDoubt(home: Home, session: string): void {
  if (doubtsAbout(home, session).some((note) => isOwnWrite(note, ''))) return
  const note = `${home.folder(...doubtsFolder)}/${session}.${randomBytes(6).toString('hex')}`
  rememberOwnWrite(note, '')
  writeFileSync(note, '', { flag: 'wx', mode: 0o600 })
}

/** The notes about a session's file. Fails if the folder cannot be read: then every file would look trustworthy. */
export function doubtsAbout(home: Home, session: string): readonly string[] {
  const folder = home.at(...doubtsFolder)
  return listFolder(folder).flatMap((name) => (sessionOfDoubt(name) === session ? [`${folder}/${name}`] : []))
}

/** The session of the note with this name. */
export function sessionOfDoubt(name: string): string {
  return name.slice(0, name.lastIndexOf('.'))
}

export function removeDoubts(notes: readonly string[]): void {
  for (const note of notes) rmSync(note, { force: true })
}
