import { isRepositoryPart } from '@cadre/gate'
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

/**
 * Owns the order of changes to files within this process: work on one path starts when the work before it on that path
 * has ended, however it ended.
 *
 * 1. Two calls that change one file never overlap, so no change is computed from a content that another is about to replace.
 * 2. Several paths are taken in one fixed order, so two calls that need the same files cannot wait for each other.
 */
const last = new Map<string, Promise<void>>()

async function oneAtATime<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  // On a file system without case two spellings are one file; elsewhere this only makes some calls wait.
  const keys = [...new Set(paths.map((path) => path.toLowerCase()))].sort()
  const before = keys.map((key) => last.get(key))
  let release = () => {}
  const done = new Promise<void>((resolve) => {
    release = resolve
  })
  for (const key of keys) last.set(key, done)
  try {
    await Promise.all(before)
    return await work()
  } finally {
    release()
    for (const key of keys) if (last.get(key) === done) last.delete(key)
  }
}
