import {
  type AgentPlaces,
  type AgentRegistry,
  createAgents,
  findTeamOf,
  loadTeam,
  nameOfFile,
  type Team,
  teamOfAgent,
} from '@cadre/agents'
import { CadreError, type Notice, nameKey, type SessionSpec } from '@cadre/core'
import type { Config, Policy } from '@cadre/home'
import { assistant } from './assistant.ts'

export interface AgentsOfRunRequest {
  /** `--team`, or the team a resumed run had: `NAME` or `NAME/VARIANT`. */
  readonly team?: string | undefined
  /** False: a team gives agents, and what it ships with permits nothing. */
  readonly teamPermits?: boolean | undefined
  /** `--agent`. */
  readonly agent?: string | undefined
  /** Whom the entry session of a resumed run may delegate to. */
  readonly targets?: readonly string[] | undefined
  readonly config: Config
  /** Where files are looked for, if the policy permits to use any. */
  readonly places: AgentPlaces
  readonly policy: Pick<Policy, 'customAgents' | 'decidedBy'>
  /** What was read from these places already. */
  readonly files?: AgentRegistry | undefined
}

export interface AgentsOfRun {
  readonly agents: AgentRegistry
  /** Who starts when nobody is named: of a team that was asked for its entry agent, else the configured one, else the team's. */
  readonly entry?: string
  /** The built-in team that somebody has chosen, by a flag or in the configuration: what it ships with counts. */
  readonly team?: Team
  readonly notices: readonly Notice[]
}

/**
 * The agents of a run. Those of a built-in team are among them when it was asked for, when it is configured, or when the run
 * needs agents that no file defines and a team has them. Otherwise nothing of the teams is even read. Throws for a team that does
 * not exist, and for an agent of a file that a policy forbids.
 */
export function agentsOfRun(request: AgentsOfRunRequest): AgentsOfRun {
  const { agent, config, policy } = request
  const places = policy.customAgents ? request.places : {}
  const files = policy.customAgents && request.files ? request.files : createAgents(places)
  const known = request.team ?? config.team
  const wanted = agent ?? (request.targets === undefined ? config.entry : undefined)
  if (!policy.customAgents && known === undefined && wanted !== undefined) refuseFile(wanted, request)
  const needed = request.targets ?? [agent ?? config.entry ?? assistant.name]
  const missing = known === undefined ? needed.filter((name) => isMissing(name, files)) : []
  // Nobody has chosen the team of the editor: it gives agents, and permits nothing.
  const ofEditor =
    config.team === undefined && definesNothing(files, config) ? places.settings?.team : undefined
  const found = known ?? ofEditor ?? (missing.length === 0 ? undefined : findTeamOf(missing))
  const ofSettings = (agents: AgentRegistry) => {
    const named = places.settings?.entry
    const agent = named === undefined ? undefined : agents.get(named)
    return agent?.userInvocable === false ? undefined : agent?.name
  }
  if (found === undefined) {
    const entry = config.entry ?? ofSettings(files)
    return { agents: files, ...(entry !== undefined && { entry }), notices: [] }
  }
  const team = loadTeam(found)
  // What a person has written is meant to be used: where it cannot be, something more permissive must not take its place.
  const builtIns = team.agents.filter(({ name }) => !isBroken(name, files))
  const agents = createAgents({ ...places, builtIns })
  const message = `no agent file defines ${missing.join(', ')}, so Cadre uses the built-in team ${found}. To edit its agents, run "cadre init --team ${found}".`
  const why: Notice[] = known === undefined && ofEditor === undefined ? [{ code: 'team', message }] : []
  const entry = request.team === undefined ? (config.entry ?? ofSettings(agents) ?? team.entry) : team.entry
  // What only an entry of the configuration leads to was chosen by nobody: it may have come with the repository.
  const isNamed = known !== undefined || agent !== undefined || request.targets !== undefined
  const isChosen = isNamed && found !== ofEditor && request.teamPermits !== false
  return { agents, entry, ...(isChosen && { team }), notices: [...why, ...replacedIn(team, agents)] }
}

/** One of the same name that is built in is another agent: it must not start in the place of the one that was meant. */
function refuseFile(agent: string, { places, policy }: AgentsOfRunRequest): void {
  const files = createAgents(places)
  const place = files.get(agent)?.source?.path ?? (isBroken(agent, files) ? 'a file' : undefined)
  if (place === undefined) return
  const key = 'customAgent.enabled'
  throw new CadreError(
    'policy',
    `agent ${agent} is defined in ${place}, but the policy allows built-in agents only: ${key} is false (${policy.decidedBy.get(key) ?? 'the policy'}).`,
  )
}

/**
 * The built-in team and the targets that a run was started with. A resumed run needs them, because the agents of built-in teams are in no
 * file of the project.
 */
export function teamOfRun({ agent, targets }: SessionSpec): Pick<AgentsOfRunRequest, 'team' | 'targets'> {
  return { team: teamOfAgent(agent), targets }
}

/** No file defines it, not even a broken one. */
function isMissing(agent: string, files: AgentRegistry): boolean {
  if (agent.toLowerCase() === assistant.name) return false
  return files.get(agent) === undefined && !isBroken(agent, files)
}

/** Neither a file, settings nor the configuration say anything about agents, not even something that cannot be used. */
function definesNothing(files: AgentRegistry, { entry }: Config): boolean {
  const loaded = files.loaded()
  return (
    entry === undefined && loaded.agents.length === 0 && loaded.files.every(({ status }) => status === 'ok')
  )
}

/** A file is called after this agent and cannot be used. */
function isBroken(agent: string, files: AgentRegistry): boolean {
  const key = nameKey(agent)
  return files
    .loaded()
    .files.some(({ path, status }) => status === 'failed' && nameKey(nameOfFile(path)) === key)
}

function replacedIn(team: Team, agents: AgentRegistry): Notice[] {
  const replaced = team.agents.flatMap(({ name }) => {
    const { source } = agents.get(name) ?? {}
    return source === undefined || source.dialect === 'built-in' ? [] : [`${name} (${source.path})`]
  })
  if (replaced.length === 0) return []
  const message = `agent files replace these agents of team ${team.name}: ${replaced.join(', ')}`
  return [{ code: 'team', message }]
}
