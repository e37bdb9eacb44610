import { isDeepStrictEqual } from 'node:util'
import type { AgentDefinition } from '@cadre/core'

/** The parts in which two definitions say something else, besides where they come from. */
export function differences(wanted: AgentDefinition, read: AgentDefinition | undefined): readonly string[] {
  if (read === undefined) return ['everything']
  const keys = new Set([...Object.keys(wanted), ...Object.keys(read)] as (keyof AgentDefinition)[])
  keys.delete('source')
  return [...keys].filter((key) => !isDeepStrictEqual(wanted[key], read[key]))
}
