import { isDeepStrictEqual } from 'node:util'
import type { AgentDefinition } from '@cadre/core'

/** Returns the parts in which two definitions differ, except for their source. */
export function definitionDifferences(
  wanted: AgentDefinition,
  read: AgentDefinition | undefined,
): readonly string[] {
  if (read === undefined) return ['everything']
  const keys = new Set([...Object.keys(wanted), ...Object.keys(read)] as (keyof AgentDefinition)[])
  keys.delete('source')
  return [...keys].filter((key) => !isDeepStrictEqual(wanted[key], read[key]))
}
