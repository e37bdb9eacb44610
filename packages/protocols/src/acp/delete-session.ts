import { existsSync, renameSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { makeFolder } from '@cadre/disk'
import { rejectIfRunning, type Sessions } from '@cadre/runtime'
import { sessionPartsOf } from './session-parts.ts'

/**
 * Removes a conversation from the home: its session files, and those of all sessions below it. Moves them to `storage/deleted`, because a
 * journal is evidence, and editors do not ask before they delete. Returns false if there is no such conversation.
 */
export async function deleteSession(sessions: Sessions, id: string): Promise<boolean> {
  const parts = sessionPartsOf(sessions, id)
  if (parts.length === 0) return false
  const files: string[] = []
  for (const part of parts) {
    const stored = await sessions.read(part)
    if (stored.spec.parent !== undefined)
      throw new CadreError(
        'usage',
        `session ${id} belongs to session ${stored.spec.root}. Delete that session instead.`,
      )
    await rejectIfRunning(sessions, stored)
    for await (const { spec } of sessions.tree(part)) files.push(sessions.fileOf(spec.id))
  }
  const folder = sessions.home.at('storage', 'deleted')
  makeFolder(folder, () => 0o700)
  for (const file of files) if (existsSync(file)) renameSync(file, path.join(folder, path.basename(file)))
  return true
}
