import { accessSync, constants, lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import path from 'node:path'
import { hasCode, stampOf } from '@cadre/disk'
import { type FileState, folder } from './file-state.ts'

/** What is at a path, links not followed; nothing if there is nothing, or if something above it is no folder. */
export function statsOf(place: string): Stats | undefined {
  try {
    const stats = lstatSync(place, { throwIfNoEntry: false })
    return stats !== undefined && !isOtherCase(place) ? stats : undefined
  } catch (error) {
    if (hasCode(error, 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG')) return undefined
    throw error
  }
}

/** On some systems `a.txt` finds `A.txt`, which is another name. */
function isOtherCase(place: string): boolean {
  if (process.platform !== 'darwin' && process.platform !== 'win32') return false
  const stats = lstatSync(place)
  if (stats.isSymbolicLink()) return false
  return path.basename(realpathSync.native(place)) !== path.basename(place)
}

/** The state of what is no regular file, or is one whose content is not kept; nothing for a file to store. */
export function plainState(place: string, stats: Stats, largest: number): FileState | undefined {
  if (stats.isDirectory()) return folder
  if (stats.isSymbolicLink())
    return { kind: 'link', target: readlinkSync(place, 'buffer').toString('latin1') }
  const stamp = stampOf(stats).is
  if (!stats.isFile()) return { kind: 'unstored', why: 'special', stamp }
  if (stats.size > largest) return { kind: 'unstored', why: 'large', stamp }
  try {
    accessSync(place, constants.R_OK)
    return undefined
  } catch (error) {
    if (hasCode(error, 'ENOENT')) throw error
    return { kind: 'unstored', why: 'unreadable', stamp }
  }
}
