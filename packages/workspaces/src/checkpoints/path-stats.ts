import { accessSync, constants, lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import path from 'node:path'
import { hasCode, type Stamp, stampOf } from '@cadre/disk'
import { type FileState, folderState } from './file-state.ts'

/** What is at a path, without following links. Kept small, because there are many. */
export interface PathStats {
  readonly kind: 'file' | 'link' | 'folder' | 'special'
  readonly mode: number
  readonly size: number
  readonly stamp: Stamp
  /** Other fields of a git index. */
  readonly ino: number
  readonly uid: number
  readonly gid: number
  readonly mtimeMs: number
  readonly ctimeMs: number
}

export const folderStats: PathStats = {
  kind: 'folder',
  mode: 0,
  size: 0,
  stamp: { is: 'folder', changed: 0 },
  ino: 0,
  uid: 0,
  gid: 0,
  mtimeMs: 0,
  ctimeMs: 0,
}

export function toPathStats(stats: Stats): PathStats {
  if (stats.isDirectory()) return folderStats
  const kind = stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : 'special'
  const { ino, uid, gid, size, mtimeMs, ctimeMs } = stats
  return { kind, mode: stats.mode & 0o7777, size, stamp: stampOf(stats), ino, uid, gid, mtimeMs, ctimeMs }
}

/** Returns undefined if nothing exists, or if a parent is not a folder. */
export function readPathStats(place: string): PathStats | undefined {
  try {
    const stats = lstatSync(place, { throwIfNoEntry: false })
    return stats !== undefined && !differsInCase(place) ? toPathStats(stats) : undefined
  } catch (error) {
    if (hasCode(error, 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG')) return undefined
    throw error
  }
}

/** Returns what is at a path of a folder. Undefined if a parent is a link, because its target is not in the folder. */
export function readPathStatsIn(top: string, name: string): PathStats | undefined {
  return isBehindLink(top, name) ? undefined : readPathStats(path.join(top, name))
}

/** True if something between a folder and a path in it is not a folder. */
export function isBehindLink(top: string, name: string): boolean {
  const parts = name.split('/')
  return parts
    .slice(1)
    .some((_, index) => readPathStats(path.join(top, ...parts.slice(0, index + 1)))?.kind !== 'folder')
}

/** On some systems `a.txt` finds `A.txt`, which is another name. */
function differsInCase(place: string): boolean {
  if (process.platform !== 'darwin' && process.platform !== 'win32') return false
  const stats = lstatSync(place)
  if (stats.isSymbolicLink()) return false
  return path.basename(realpathSync.native(place)) !== path.basename(place)
}

/** Returns the state of something that is not a regular file, or whose content is not stored; undefined for a file to store. */
export function plainState(
  place: string,
  { kind, size, stamp }: PathStats,
  maxFileSize: number,
): FileState | undefined {
  if (kind === 'folder') return folderState
  if (kind === 'link') return { kind, target: readlinkSync(place, 'buffer').toString('latin1') }
  if (kind === 'special') return { kind: 'unstored', why: kind, stamp: stamp.is }
  if (size > maxFileSize) return { kind: 'unstored', why: 'large', stamp: stamp.is }
  try {
    accessSync(place, constants.R_OK)
    return undefined
  } catch (error) {
    if (hasCode(error, 'ENOENT')) throw error
    return { kind: 'unstored', why: 'unreadable', stamp: stamp.is }
  }
}
