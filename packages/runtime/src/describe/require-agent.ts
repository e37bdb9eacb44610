import type { AgentRegistry } from '@cadre/agents'
import { type AgentDefinition, CadreError, didYouMean } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import { assistant } from '../assistant.ts'

/** Returns the agent with this name, even if users cannot start it. If there is none, throws with the problem of its file. */
export function requireAgent(registry: AgentRegistry, name: string): AgentDefinition {
  const found = registry.get(name) ?? (name.toLowerCase() === assistant.name ? assistant : undefined)
  if (found !== undefined) return found
  const { files, agents } = registry.loaded()
  const broken = files.find(
    (file) => file.status === 'failed' && file.path.toLowerCase().includes(`/${name.toLowerCase()}.`),
  )
  const reason = broken?.diagnostics.find(({ severity }) => severity === 'error')
  if (reason !== undefined) throw new CadreError('configuration', showDiagnostic(reason))
  const names = agents.map((agent) => agent.name)
  const hint = didYouMean(name, names) || '. List agents with "cadre agents list".'
  throw new CadreError('not_found', `there is no agent ${JSON.stringify(name)}${hint}`)
}
