/**
 * An editor session keeps its id, even if the person changes the agent or the mode. A session file has one agent and one set of
 * controls, so each such change starts another file with the same history: `lead-k3x09q2f`, then `lead-k3x09q2f~2`.
 */
import { existsSync } from 'node:fs'
import type { Sessions } from '@cadre/runtime'

const part = /^(.*)~(\d{1,4})$/

/** The session files of an editor's session, oldest first. Empty if it has not started. */
export function sessionPartsOf(sessions: Pick<Sessions, 'fileOf'>, id: string): string[] {
  const found: string[] = []
  for (let name = id; existsSync(sessions.fileOf(name)); name = nameOfPart(id, found.length + 1))
    found.push(name)
  return found
}

export function nameOfPart(id: string, number: number): string {
  return number <= 1 ? id : `${id}~${number}`
}

/** The editor session that this file belongs to. */
export function editorSessionOf(id: string): string {
  return part.exec(id)?.[1] ?? id
}
