import { createAgents, loadTeam } from '@cadre/agents'
import { type AgentDefinition, CadreError, fallbackMessage, type Models, resolveModel } from '@cadre/core'
import type { Home, Policy } from '@cadre/home'
import { agentPaths } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { type Check, fail, warn } from './check.ts'

/** The agents that name models: those of the project, and those of the configured team. */
export function agentsWithModels(
  io: Io,
  home: Home,
  { policy, team }: { readonly policy: Policy; readonly team: string | undefined },
): readonly AgentDefinition[] {
  const own = policy.customAgents ? createAgents(agentPaths(io, home, io.cwd)).list() : []
  return [...own, ...membersOf(team)].filter(({ models = [] }) => models.length > 0)
}

/** Agents whose model is not available, and the model that each gets instead. Sends nothing to a model. */
export async function checkAgentModels(models: Models, agents: readonly AgentDefinition[]): Promise<Check[]> {
  const checks = await Promise.all(
    agents.map(async (agent) => {
      try {
        const { id, insteadOf } = await resolveModel({ models }, { agent })
        if (insteadOf === undefined) return []
        return [warn('agent model', `${fallbackMessage(agent.name, id, insteadOf)}.`, fix)]
      } catch (error) {
        if (!(error instanceof CadreError)) throw error
        return [fail('agent model', `${agent.name} cannot start: ${error.message}`, fix)]
      }
    }),
  )
  return checks.flat()
}

const fix =
  'To use another model, map the name under "aliases" in config.yaml, or change "model" in the agent\'s file.'

/** Another check reports a team that cannot be loaded. */
function membersOf(team: string | undefined): readonly AgentDefinition[] {
  try {
    return team === undefined ? [] : loadTeam(team).agents
  } catch (error) {
    if (!(error instanceof CadreError)) throw error
    return []
  }
}
