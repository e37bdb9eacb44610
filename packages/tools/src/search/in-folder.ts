import { constants } from 'node:fs'
import { mkdir, open, readlink, realpath } from 'node:fs/promises'
import path from 'node:path'
import { codeOf, Refusal } from '../refusal.ts'

/**
 * Does work in a folder that cannot be exchanged for another one meanwhile. `base` stands for the folder itself, not for
 * its name: on Linux it leads through an open descriptor, so a link put at any place of the path changes nothing. Elsewhere
 * the real path is compared before the work, which leaves a moment that only a descriptor could close.
 */
export async function inFolder<T>(folder: string, work: (base: string) => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return byName(folder, work)
  const handle = await openFolder(folder)
  try {
    // By number and not as `self`: a program that is started here must find the same folder.
    const base = `/proc/${process.pid}/fd/${handle.fd}`
    const opened = await readlink(base).catch(() => undefined)
    // Without /proc there is no way through the descriptor.
    if (opened === undefined) return await byName(folder, work)
    if (opened !== folder) throw exchanged()
    return await work(base)
  } finally {
    await handle.close()
  }
}

async function byName<T>(folder: string, work: (base: string) => Promise<T>): Promise<T> {
  if ((await realpath(folder)) !== folder) throw exchanged()
  return work(folder)
}

/** Makes a folder and those above it, from `root` down. Every step stays inside `root`, whatever is exchanged meanwhile. */
export async function makeFolder(root: string, folder: string): Promise<void> {
  let current = root
  for (const name of path.relative(root, folder).split(path.sep)) {
    if (name === '') continue
    await inFolder(current, async (base) => {
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
    throw codeOf(error) === 'ELOOP' ? exchanged() : error
  }
}

function exchanged(): Refusal {
  return new Refusal('A folder in the path was replaced during the search. Try again.')
}
