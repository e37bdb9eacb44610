import type { AgentDefinition } from '../ports/agent.ts'
import type { Ports } from '../ports/ports.ts'
import type { Notice } from '../ports/report.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import { nameKey } from '../vocabulary/name-key.ts'
import { didYouMean } from '../vocabulary/nearest.ts'
import { toolsetOf } from '../vocabulary/toolset.ts'
import { allowedTargets } from './delegation.ts'

/** The notices for the user about a session that is about to start. */
export async function startNotices(spec: SessionSpec, ports: Ports): Promise<Notice[]> {
  return [
    ...(await modelWarning(spec, ports)),
    ...brokenDelegation(spec.agent, spec, ports),
    ...unknownTools(spec, ports),
  ]
}

async function modelWarning(spec: SessionSpec, ports: Ports): Promise<Notice[]> {
  const found = await ports.models.resolve(spec.model)
  return found.kind === 'found' && found.warning !== undefined
    ? [{ code: 'model', message: found.warning }]
    : []
}

/** Reports unknown names in the agent's tool list, which are mostly misspelt. `cadre lint` reports those in other agents. */
function unknownTools(spec: SessionSpec, ports: Ports): Notice[] {
  const { agent } = spec
  const known = ports.tools.flatMap(({ name, aliases = [], class: kind }) => [name, ...aliases, kind])
  const { unknown } = toolsetOf({ agent, tools: ports.tools, targets: [], completion: 'text' })
  return unknown.map((name) => {
    const isForbidden = agent.disallowedTools?.includes(name) === true
    const effect = isForbidden ? 'So this entry denies nothing.' : `${agent.name} runs without this tool.`
    return {
      code: 'tools',
      message: `${agent.source?.path ?? agent.name}: there is no tool named ${JSON.stringify(name)}${didYouMean(name, known) || '.'} ${effect}`,
    }
  })
}

/** Reports delegation targets that do not exist. The agent works with the others, or alone. */
function brokenDelegation(agent: AgentDefinition, spec: SessionSpec, ports: Ports): Notice[] {
  if (agent.delegates?.kind !== 'list' || !spec.delegation) return []
  const known = new Set(
    allowedTargets(agent, ports.agents.list(), true).map((target) => nameKey(target.name)),
  )
  const missing = agent.delegates.names.filter((name) => !known.has(nameKey(name)))
  if (missing.length === 0) return []
  const rest =
    spec.targets.length === 0
      ? 'the agent cannot delegate'
      : `the agent can still delegate to ${spec.targets.join(', ')}`
  return [
    {
      code: 'delegation',
      message: `${agent.name} lists agents that do not exist or cannot be started: ${missing.join(', ')}; ${rest}`,
    },
  ]
}
