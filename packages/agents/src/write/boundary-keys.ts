import type { Boundary } from '@cadre/core'
import { isObject } from '@cadre/disk'
import { plainKey } from '../header/known-keys.ts'
import { type Entries, entry } from './access-keys.ts'

/**
 * Keys with those of a boundary. No host knows these, so they stand in `metadata`, which every host leaves alone; beside
 * it where it could not be told afterwards whether it was there before.
 */
export function withBoundary(entries: Entries, boundary: Boundary | undefined): Entries {
  if (boundary === undefined) return entries
  const { writes, commands } = boundary
  const marks = [...entry('cadre-writes', writes), ...entry('cadre-commands', commands)]
  const at = entries.findIndex(([key]) => plainKey(key) === 'metadata')
  const [key, metadata] = entries[at] ?? []
  if (key === undefined) return [...entries, ['metadata', Object.fromEntries(marks)]]
  if (!isObject(metadata) || Object.keys(metadata).length === 0) return [...entries, ...marks]
  return entries.with(at, [key, { ...metadata, ...Object.fromEntries(marks) }])
}
