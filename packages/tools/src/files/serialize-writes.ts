import { isRepositoryPart } from '@cadre/gate'
import type { ConfinedPath } from './confine-path.ts'

/**
 * Runs `work` after all earlier writes to the same files. Files that can make a folder a git repository also wait for each
 * other across the workspace: each is judged when the earlier ones are on disk. So judge again in `work`.
 */
export function serializeWrites<T>(files: readonly ConfinedPath[], work: () => Promise<T>): Promise<T> {
  const turns = new Set(files.map(({ real }) => real))
  for (const { root, shown } of files)
    if (shown.split('/').some(isRepositoryPart)) turns.add(`${root}\0repository`)
  return oneAtATime([...turns], work)
}

/**
 * Owns the order of file changes within this process: work on a path starts when the previous work on it has ended,
 * successfully or not.
 *
 * 1. Two calls that change one file never overlap, so no change is computed from content that another is about to replace.
 * 2. Several paths are locked in a fixed order, so two calls cannot deadlock.
 */
const pendingWrites = new Map<string, Promise<void>>()

async function oneAtATime<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  // On a case-insensitive file system, two spellings are one file; elsewhere this only makes some calls wait.
  const keys = [...new Set(paths.map((path) => path.toLowerCase()))].sort()
  const before = keys.map((key) => pendingWrites.get(key))
  let release = () => {}
  const done = new Promise<void>((resolve) => {
    release = resolve
  })
  for (const key of keys) pendingWrites.set(key, done)
  try {
    await Promise.all(before)
    return await work()
  } finally {
    release()
    for (const key of keys) if (pendingWrites.get(key) === done) pendingWrites.delete(key)
  }
}
