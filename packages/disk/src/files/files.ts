import {
  close,
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  fsync,
  lstatSync,
  mkdirSync,
  open,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { isOutOfFileDescriptors } from '../system/system-error-code.ts'

/** Small file operations. */

/** The permission bits for new files in a home, because they contain messages of people and agents. Existing files keep their bits. */
export const ownerOnly = 0o600

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException | undefined)?.code ?? '')
}

/** Lists a folder. Returns an empty list if it does not exist. */
export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

export function unlinkIfExists(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

/** Writes all bytes: one system call may write only a part. */
export function writeFully(file: number, bytes: Buffer, position: number): void {
  let done = 0
  while (done < bytes.length) done += writeSync(file, bytes, done, bytes.length - done, position + done)
}

/** Appends bytes to a file. */
export function appendBytes(path: string, bytes: Buffer): void {
  const file = openSync(path, 'a', ownerOnly)
  try {
    writeFully(file, bytes, fstatSync(file).size)
  } finally {
    closeSync(file)
  }
}

/** Syncs a file or a folder to disk. Ignores a missing file. */
export function syncPath(path: string, done: (error: Error | null) => void): void {
  open(path, 'r', (openError, file) => {
    if (openError) return done(openError.code === 'ENOENT' ? null : openError)
    fsync(file, (syncError) => close(file, (closeError) => done(syncError ?? closeError)))
  })
}

/** Syncs all paths, a few at a time, because each sync blocks one of Node's few file threads. */
export function syncPaths(paths: readonly string[], done: (error: Error | null) => void): void {
  let next = 0
  let open = 0
  let failure: Error | null = null
  const start = () => {
    while (open < 3 && next < paths.length) {
      open++
      syncPath(paths[next++] ?? '', (error) => {
        open--
        failure ??= error
        if (open === 0 && next >= paths.length) done(failure)
        else start()
      })
    }
  }
  if (paths.length === 0) done(null)
  else start()
}

/**
 * Lists a folder. Returns an empty list if it is missing or unreadable. Throws if the process has run out of file descriptors, so that a
 * full folder is not mistaken for an empty one.
 */
export function namesIn(folder: string): readonly string[] {
  return orEmpty(() => readdirSync(folder))
}

/** Like `namesIn`, with the type of each entry. */
export function entriesIn(folder: string): readonly Dirent[] {
  return orEmpty(() => readdirSync(folder, { withFileTypes: true }))
}

function orEmpty<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read()
  } catch (error) {
    if (isOutOfFileDescriptors(error)) throw error
    return []
  }
}

/** Returns whether a path is a folder or inside it. Compares text only: resolve links first if they matter. */
export function isInside(folder: string, target: string): boolean {
  const relative = path.relative(folder, target)
  return (
    relative === '' ||
    (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative))
  )
}

/** Returns the stats of a path without following links, or `undefined` if it is missing or inaccessible. */
export function entryAt(place: string): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Returns whether a path is a folder, or a link to one. Throws if the system cannot tell, as for a loop of links. */
export function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true
}

/**
 * Creates a folder and its parents, each with its own permission bits. One at a time, because Node's recursive `mkdir` never returns where
 * folders cannot be created, as in /proc.
 */
export function makeFolder(folder: string, modeOf: (folder: string) => number): void {
  const above = path.dirname(folder)
  if (above !== folder && !existsSync(above)) makeFolder(above, modeOf)
  try {
    mkdirSync(folder, { mode: modeOf(folder) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Returns the real path. Follows links even if the target does not exist yet, because a write would create it. Parts that do not exist stay
 * unchanged.
 */
export function realPathOf(place: string): string {
  // One limit for the whole path, as in the kernel: links that name each other twice would take forever.
  return followLinks(place, { links: 40 })
}

function followLinks(place: string, left: { links: number }): string {
  const at = path.resolve(place)
  try {
    return realpathSync(at)
  } catch {
    const above = path.dirname(at)
    if (above === at) return at
    const direct = path.join(followLinks(above, left), path.basename(at))
    const target = left.links === 0 ? undefined : linkTarget(direct)
    if (target === undefined) return direct
    left.links--
    return followLinks(path.resolve(path.dirname(direct), target), left)
  }
}

/** Returns the target of a link, or `undefined` if the path is unreadable or not a link. */
export function linkTarget(place: string): string | undefined {
  try {
    return readlinkSync(place)
  } catch {
    return undefined
  }
}

/** Like `realPathOf`, or `undefined` if the path does not exist. */
export function realPathIfExists(place: string): string | undefined {
  try {
    return realpathSync.native(place)
  } catch {
    return undefined
  }
}

/** Returns the real path. If the path does not exist, returns it as an absolute path. */
export function realPathOrSelf(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    return path.resolve(place)
  }
}

/** Opens a regular file for reading. Refuses anything else: reading a pipe could block the process forever. */
export function openRegularFile(path: string): number {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new CadreError('configuration', 'this must be a regular file. Replace it with one, or remove it.', {
    where: path,
  })
}

export function readRegularFile(path: string): Buffer {
  const file = openRegularFile(path)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
const ways = { read: O_RDONLY, append: O_RDWR | O_APPEND | O_CREAT }

/** Opens a regular file without following links, and never blocks on a pipe. Creates it only with `append`. */
export function openWithoutLinks(place: string, way: 'append'): number
/** Returns `undefined` if the file does not exist. */
export function openWithoutLinks(place: string, way: 'read'): number | undefined
export function openWithoutLinks(place: string, way: keyof typeof ways): number | undefined {
  try {
    const file = openSync(place, ways[way] | O_NOFOLLOW | O_NONBLOCK, ownerOnly)
    if (fstatSync(file).isFile()) return file
    closeSync(file)
  } catch (error) {
    if (way === 'read' && hasCode(error, 'ENOENT')) return undefined
    if (!hasCode(error, 'ELOOP', 'EISDIR', 'ENXIO')) throw error
  }
  throw new CadreError(
    'configuration',
    'this must be a regular file, not a link. Replace it with one, or remove it.',
    {
      where: place,
    },
  )
}
