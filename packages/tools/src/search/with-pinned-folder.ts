import { constants } from 'node:fs'
import { mkdir, open, readlink, realpath } from 'node:fs/promises'
import path from 'node:path'
import { codeOf, Refusal } from '../refusal.ts'

/**
 * Does work in a folder that cannot be swapped meanwhile. `base` refers to the folder itself, not to its name: on Linux it
 * uses an open file descriptor, so links created in the path have no effect. Elsewhere the real path is compared before the
 * work, which leaves a small race.
 */
export async function withPinnedFolder<T>(folder: string, work: (base: string) => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return openByName(folder, work)
  const handle = await openFolder(folder)
  try {
    // By process id and not `self`: a child process must find the same folder.
    const base = `/proc/${process.pid}/fd/${handle.fd}`
    const opened = await readlink(base).catch(() => undefined)
    // Without /proc, the file descriptor cannot be used as a path.
    if (opened === undefined) return await openByName(folder, work)
    if (opened !== folder) throw swappedError()
    return await work(base)
  } finally {
    await handle.close()
  }
}

async function openByName<T>(folder: string, work: (base: string) => Promise<T>): Promise<T> {
  if ((await realpath(folder)) !== folder) throw swappedError()
  return work(folder)
}

/** Creates a folder and its parents, from `root` down. Every step stays inside `root`, even if links change meanwhile. */
export async function makeFolder(root: string, folder: string): Promise<void> {
  let current = root
  for (const name of path.relative(root, folder).split(path.sep)) {
    if (name === '') continue
    await withPinnedFolder(current, async (base) => {
      try {
        await mkdir(path.join(base, name))
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      }
    })
    current = path.join(current, name)
  }
}

async function openFolder(folder: string) {
  try {
    return await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  } catch (error) {
    throw codeOf(error) === 'ELOOP' ? swappedError() : error
  }
}

function swappedError(): Refusal {
  return new Refusal('A folder in the path was replaced during the search. Try again.')
}
