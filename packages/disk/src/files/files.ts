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
  unlinkSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { isOutOfFiles } from '../system/system-trouble.ts'

/** Small things with files that the system call does not do by itself. */

/** Of files that are made in a home: they hold what people and agents say. A file that is there keeps its mode. */
export const ownerOnly = 0o600

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException | undefined)?.code ?? '')
}

/** What is in a folder; nothing when it is not there. */
export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

export function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

/** Writes all of it: one system call may write less than it was given. */
export function writeWhole(file: number, bytes: Buffer, position: number): void {
  let done = 0
  while (done < bytes.length) done += writeSync(file, bytes, done, bytes.length - done, position + done)
}

/** Bytes that are appended to a file nobody else depends on. */
export function appendBytes(path: string, bytes: Buffer): void {
  const file = openSync(path, 'a', ownerOnly)
  try {
    writeWhole(file, bytes, fstatSync(file).size)
  } finally {
    closeSync(file)
  }
}

/** Puts a file, or the names in a folder, where a power loss does not reach them. A file that is gone needs nothing. */
export function syncPath(path: string, done: (error: Error | null) => void): void {
  open(path, 'r', (openError, file) => {
    if (openError) return done(openError.code === 'ENOENT' ? null : openError)
    fsync(file, (syncError) => close(file, (closeError) => done(syncError ?? closeError)))
  })
}

/** All of them, a few at a time: a sync holds one of the process's few file threads. */
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
 * What is in a folder; nothing when it is not there or may not be looked into. Throws when no more files can be opened: nobody
 * may take a full folder for an empty one.
 */
export function namesIn(folder: string): readonly string[] {
  return orNothing(() => readdirSync(folder))
}

/** The same, with what each of them is. */
export function entriesIn(folder: string): readonly Dirent[] {
  return orNothing(() => readdirSync(folder, { withFileTypes: true }))
}

function orNothing<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read()
  } catch (error) {
    if (isOutOfFiles(error)) throw error
    return []
  }
}

/** Whether a path lies below a folder, or is that folder. By the letters alone: who minds links resolves them before. */
export function isInside(folder: string, target: string): boolean {
  const relative = path.relative(folder, target)
  return (
    relative === '' ||
    (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative))
  )
}

/** What is at a path, links not followed; nothing where nothing is, or where nobody may look. */
export function entryAt(place: string): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/**
 * Makes a folder and those above it, each with the mode that is asked for it. Folder by folder: Node's own recursive way never
 * returns where the system says that a folder cannot be made, as in /proc.
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
 * Where a path really leads. Links are followed, also one whose target does not exist yet: a write would create the target. What
 * does not exist stays as it is written.
 */
export function realPathOf(place: string): string {
  // One count for the whole path, as the system has it: links that name each other twice would take for ever.
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

function linkTarget(place: string): string | undefined {
  try {
    return readlinkSync(place)
  } catch {
    return undefined
  }
}

/** The same, or nothing where nothing is. */
export function realPathIfThere(place: string): string | undefined {
  try {
    return realpathSync.native(place)
  } catch {
    return undefined
  }
}

/** Opens a file to read it. What is no file is refused: reading a pipe would hold up the whole process for ever. */
export function openRegular(path: string): number {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new CadreError('configuration', 'this must be a regular file. Replace it with one, or remove it.', {
    where: path,
  })
}

export function readRegular(path: string): Buffer {
  const file = openRegular(path)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
const ways = { read: O_RDONLY, append: O_RDWR | O_APPEND | O_CREAT }

/** Opens a file, not through a link, and never something that would make a reader or a writer wait. Made only to append. */
export function openPlain(place: string, way: 'append'): number
/** Nothing when there is none. */
export function openPlain(place: string, way: 'read'): number | undefined
export function openPlain(place: string, way: keyof typeof ways): number | undefined {
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
