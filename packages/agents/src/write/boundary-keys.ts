import { type Boundary, isObject } from '@cadre/core'
import { plainKey } from '../header/known-keys.ts'
import { type Entries, optionalEntry } from './access-keys.ts'

/**
 * Adds the keys of a boundary. No host knows them, so they go into `metadata`, which every host ignores; or to the top
 * level, if it could not be restored otherwise.
 */
export function withBoundary(entries: Entries, boundary: Boundary | undefined): Entries {
  if (boundary === undefined) return entries
  const { writes, commands } = boundary
  const marks = [...optionalEntry('cadre-writes', writes), ...optionalEntry('cadre-commands', commands)]
  const at = entries.findIndex(([key]) => plainKey(key) === 'metadata')
  const [key, metadata] = entries[at] ?? []
  if (key === undefined) return [...entries, ['metadata', Object.fromEntries(marks)]]
  if (!isObject(metadata) || Object.keys(metadata).length === 0) return [...entries, ...marks]
  return entries.with(at, [key, { ...metadata, ...Object.fromEntries(marks) }])
}
