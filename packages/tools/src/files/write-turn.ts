import { isRepositoryPart } from '@cadre/gate'
import { oneAtATime } from '../commands/one-at-a-time.ts'
import type { ConfinedPath } from './confine.ts'

/**
 * Writes files after all others that write the same ones. Files whose names together make a folder a git repository wait for
 * each other in the whole workspace: each is judged when those before it are on the disk. So judge again in `work`.
 */
export function inTurn<T>(files: readonly ConfinedPath[], work: () => Promise<T>): Promise<T> {
  const turns = new Set(files.map(({ real }) => real))
  for (const { root, shown } of files)
    if (shown.split('/').some(isRepositoryPart)) turns.add(`${root}\0repository`)
  return oneAtATime([...turns], work)
}
