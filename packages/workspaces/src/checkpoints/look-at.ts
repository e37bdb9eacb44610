import { accessSync, constants, lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import path from 'node:path'
import { hasCode, type Stamp, stampOf } from '@cadre/disk'
import { type FileState, folder } from './file-state.ts'

/** What is at a path, links not followed. Small, because there are many at once. */
export interface Look {
  readonly kind: 'file' | 'link' | 'folder' | 'special'
  readonly mode: number
  readonly size: number
  readonly stamp: Stamp
  /** What an index of git holds besides. */
  readonly ino: number
  readonly uid: number
  readonly gid: number
  readonly mtimeMs: number
  readonly ctimeMs: number
}

export const folderLook: Look = {
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

export function lookOf(stats: Stats): Look {
  if (stats.isDirectory()) return folderLook
  const kind = stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : 'special'
  const { ino, uid, gid, size, mtimeMs, ctimeMs } = stats
  return { kind, mode: stats.mode & 0o7777, size, stamp: stampOf(stats), ino, uid, gid, mtimeMs, ctimeMs }
}

/** Nothing if there is nothing, or if something above it is no folder. */
export function lookAt(place: string): Look | undefined {
  try {
    const stats = lstatSync(place, { throwIfNoEntry: false })
    return stats !== undefined && !isOtherCase(place) ? lookOf(stats) : undefined
  } catch (error) {
    if (hasCode(error, 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG')) return undefined
    throw error
  }
}

/** What is at a path of a folder. Nothing if something above it is a link: what is behind the link is not in the folder. */
export function lookIn(top: string, name: string): Look | undefined {
  return isBehindLink(top, name) ? undefined : lookAt(path.join(top, name))
}

/** Whether something between a folder and a path in it is not a folder itself. */
export function isBehindLink(top: string, name: string): boolean {
  const parts = name.split('/')
  return parts
    .slice(1)
    .some((_, index) => lookAt(path.join(top, ...parts.slice(0, index + 1)))?.kind !== 'folder')
}

/** On some systems `a.txt` finds `A.txt`, which is another name. */
function isOtherCase(place: string): boolean {
  if (process.platform !== 'darwin' && process.platform !== 'win32') return false
  const stats = lstatSync(place)
  if (stats.isSymbolicLink()) return false
  return path.basename(realpathSync.native(place)) !== path.basename(place)
}

/** The state of what is no regular file, or is one whose content is not kept; nothing for a file to store. */
export function plainState(
  place: string,
  { kind, size, stamp }: Look,
  largest: number,
): FileState | undefined {
  if (kind === 'folder') return folder
  if (kind === 'link') return { kind, target: readlinkSync(place, 'buffer').toString('latin1') }
  if (kind === 'special') return { kind: 'unstored', why: kind, stamp: stamp.is }
  if (size > largest) return { kind: 'unstored', why: 'large', stamp: stamp.is }
  try {
    accessSync(place, constants.R_OK)
    return undefined
  } catch (error) {
    if (hasCode(error, 'ENOENT')) throw error
    return { kind: 'unstored', why: 'unreadable', stamp: stamp.is }
  }
}
