import { findLead, listTeams, loadTeam } from '@cadre/agents'
import { didYouMean } from '@cadre/core'
import { chooseAgent } from '@cadre/runtime'
import type { DaemonOperations } from '../api-context.ts'
import { HttpProblem } from '../problem.ts'

export interface EntryChoice {
  readonly agent?: string | undefined
  /** A built-in team. Its lead starts, unless `agent` names another member. */
  readonly team?: string | undefined
}

/** The name of the agent to start. A daemon starts only the agents that it has loaded. */
export function chooseEntryAgent({ agent, team }: EntryChoice, operate: DaemonOperations): string {
  const agents = operate.registry()
  if (team === undefined) return chooseAgent({ agents }, agent).name
  const names = listTeams().map(({ name }) => name)
  if (!names.includes(team))
    throw new HttpProblem(
      404,
      `There is no team ${JSON.stringify(team)}${didYouMean(team, names) || `. Known: ${names.join(', ')}.`}`,
      { code: 'not_found' },
    )
  const members = loadTeam(team).agents
  const entry = agent ?? findLead(members)?.name ?? members[0]?.name ?? ''
  const isMember = members.some(({ name }) => name === entry)
  if (!isMember)
    throw new HttpProblem(404, `Team ${team} has no agent ${JSON.stringify(entry)}.`, { code: 'not_found' })
  if (agents.get(entry) === undefined)
    throw new HttpProblem(
      409,
      `The daemon does not run the team ${team}. Start it with "cadre up --team ${team}".`,
      { code: 'configuration' },
    )
  return entry
}
