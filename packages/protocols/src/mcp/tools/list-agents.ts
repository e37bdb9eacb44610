import { listTeams } from '@cadre/agents'
import { object, shortLine } from '@cadre/core'
import { type Environment, findAvailableAgents } from '@cadre/runtime'
import { defineHostTool, type HostTool } from '../host-tool.ts'

const input = object({})
const maxAgents = 100

export function listAgentsTool(
  environment: Environment,
  { home, workspace }: { readonly home?: string | undefined; readonly workspace: string },
): HostTool<unknown> {
  return defineHostTool({
    name: 'list_agents',
    title: 'List agents and teams',
    description: 'Lists the agents in this project and the built-in teams that delegate_work can use.',
    input,
    reads: true,
    async run() {
      const found = await findAvailableAgents({ ...environment, cwd: workspace }, { ...(home && { home }) })
      const startable = found.registry
        .list()
        .filter((agent) => agent.userInvocable !== false && found.refusal(agent) === undefined)
      const agents = startable
        .slice(0, maxAgents)
        .map(({ name, description }) => `- ${shortLine(name, 80)}: ${shortLine(description, 200)}`)
      const teams = listTeams().map(
        ({ name, description, entry }) => `- ${name}: ${shortLine(description, 200)} (starts with ${entry})`,
      )
      return [
        `Agents in this project (argument "agent"${found.entry === undefined ? '' : `; default: ${found.entry}`}):`,
        ...(agents.length === 0 ? ['- none; the default is a general assistant'] : agents),
        'Built-in teams (argument "team"):',
        ...teams,
        'Next: call delegate_work.',
      ].join('\n')
    },
  })
}
