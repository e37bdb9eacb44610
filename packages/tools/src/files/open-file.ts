import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import { codeOf, Refusal } from '../refusal.ts'
import type { ConfinedPath } from './confine-path.ts'

export interface OpenFile extends AsyncDisposable {
  readonly handle: FileHandle
  readonly stats: Stats
}

// Absent on Windows, where opening a file name never blocks on a pipe.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Opens a regular file. Rejects folders, devices, sockets and pipes, and never blocks. The system reports the real location
 * of the opened file, so a link created after the check is detected.
 */
export async function openRegularFile(file: ConfinedPath): Promise<OpenFile> {
  requireRegularFile(await statsOf(file), file.shown)
  let handle: FileHandle
  try {
    handle = await open(file.real, flags)
  } catch (error) {
    throw codeOf(error) === 'ELOOP' ? changedError(file) : error
  }
  try {
    const stats = await handle.stat()
    requireRegularFile(stats, file.shown)
    if (!(await isAt(handle, stats, file.real))) throw changedError(file)
    return { handle, stats, [Symbol.asyncDispose]: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * True if the opened file is at this real path. On Linux the file descriptor reports its location, even if links change
 * meanwhile; elsewhere, and without /proc, names are compared, which leaves a small race.
 */
async function isAt(handle: FileHandle, stats: Stats, real: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
    if (opened !== undefined) return opened === real
  }
  const now = await stat(real)
  return now.ino === stats.ino && now.dev === stats.dev && (await realpath(real)) === real
}

/** Nothing exists at that path. */
export class MissingFile extends Refusal {}

async function statsOf(file: ConfinedPath): Promise<Stats> {
  try {
    return await lstat(file.real)
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      throw new MissingFile(`${file.shown} does not exist. Find files with list_directory or find_files.`)
    throw error
  }
}

export function requireRegularFile(stats: Stats, shown: string): void {
  if (stats.isFile()) return
  if (stats.isDirectory()) throw new Refusal(`${shown} is a folder. List it with list_directory.`)
  const kind = stats.isFIFO()
    ? 'a pipe'
    : stats.isSocket()
      ? 'a socket'
      : stats.isSymbolicLink()
        ? 'a symbolic link'
        : 'a device'
  throw new Refusal(`${shown} is ${kind}, not a file.`)
}

function changedError(file: ConfinedPath): Refusal {
  return new Refusal(`${file.shown} was replaced while Cadre opened it. Try again.`)
}
