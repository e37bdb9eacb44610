import { existsSync } from 'node:fs'
import type { AgentDefinition } from '@cadre/core'
import type { AgentRegistry } from '@cadre/files'

/** Why a session is not resumed whose agent a person has removed: its record still says who it was. Nothing when it is there. */
export function removedAgent(
  { name, source }: AgentDefinition,
  registry: Pick<AgentRegistry, 'get'>,
): string | undefined {
  if (source === undefined || source.dialect === 'built-in') return undefined
  // A file that is broken is there: what is wrong with it is reported as that.
  if (registry.get(name) !== undefined || existsSync(source.path)) return undefined
  return `Its agent ${name} was removed: ${source.path} is gone. Restore the file, or resume the session with "cadre resume".`
}
