import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { CadreError } from '@cadre/core'
import { hasCode, ownerOnly } from './files.ts'

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
  throw new CadreError('configuration', 'This must be a plain file; put one in its place, or remove it.', {
    where: place,
  })
}
