import type { AgentDefinition } from '../ports/agent.ts'
import { CadreError } from '../ports/errors.ts'
import type { Agents } from '../ports/ports.ts'
import { didYouMean } from '../vocabulary/nearest.ts'

/** Returns the agent that a person starts, by its name or definition. Throws if there is no such agent, or if users cannot start it. */
export function findEntryAgent(wanted: string | AgentDefinition, agents: Agents): AgentDefinition {
  if (typeof wanted !== 'string') return wanted
  const found = agents.get(wanted)
  if (found?.userInvocable === false) {
    throw new CadreError('usage', `users cannot start ${found.name}: its file sets user-invocable to false.`)
  }
  if (found !== undefined) return found
  const names = agents.list().map((agent) => agent.name)
  throw new CadreError(
    'not_found',
    `there is no agent named ${JSON.stringify(wanted)}${didYouMean(wanted, names) || '.'} Known: ${names.join(', ') || 'none'}.`,
  )
}
