import { existsSync } from 'node:fs'
import type { AgentRegistry } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'

/** Returns the reason why the session of a removed agent is not resumed, or `undefined` if the agent exists. */
export function removedAgentReason(
  { name, source }: AgentDefinition,
  registry: Pick<AgentRegistry, 'get'>,
): string | undefined {
  if (source === undefined || source.dialect === 'built-in') return undefined
  // A broken file still exists; its errors are reported separately.
  if (registry.get(name) !== undefined || existsSync(source.path)) return undefined
  return `Agent ${name} was removed: ${source.path} no longer exists. Restore the file, or resume the session with "cadre resume".`
}
