import {
  type AgentPaths,
  type AgentRegistry,
  agentNameFromPath,
  createAgents,
  findTeamWith,
  loadTeam,
  type Team,
  teamForAgent,
} from '@cadre/agents'
import { CadreError, type Notice, nameKey, type SessionSpec } from '@cadre/core'
import type { Config, Policy } from '@cadre/home'
import { assistant } from './assistant.ts'

export interface RunAgentsRequest {
  /** `--team`, or the team a resumed run had: `NAME` or `NAME/VARIANT`. */
  readonly team?: string | undefined
  /** False: use the agents in the team, but not its permissions. */
  readonly teamPermits?: boolean | undefined
  /** `--agent`. */
  readonly agent?: string | undefined
  /** The delegation targets of the entry session of a resumed run. */
  readonly targets?: readonly string[] | undefined
  readonly config: Config
  /** Where to search for files, if the policy allows them. */
  readonly places: AgentPaths
  readonly policy: Pick<Policy, 'customAgents' | 'decidedBy'>
  /** The files that were already read from these places. */
  readonly files?: AgentRegistry | undefined
}

export interface RunAgents {
  readonly agents: AgentRegistry
  /** The default agent: the entry agent of a requested team, else the configured one, else the entry agent of the configured team. */
  readonly entry?: string
  /** The built-in team that was chosen by a flag or the configuration. Its permissions apply. */
  readonly team?: Team
  readonly notices: readonly Notice[]
}

/**
 * Returns the agents of a run. Includes a built-in team if it is requested or configured, or if the run needs its agents and no file
 * defines them. Otherwise teams are not read. Throws if the team does not exist, or if a policy forbids the requested agent's file.
 */
export function loadRunAgents(request: RunAgentsRequest): RunAgents {
  const { agent, config, policy } = request
  const places = policy.customAgents ? request.places : {}
  const files = policy.customAgents && request.files ? request.files : createAgents(places)
  const known = request.team ?? config.team
  const wanted = agent ?? (request.targets === undefined ? config.entry : undefined)
  if (!policy.customAgents && known === undefined && wanted !== undefined) refuseFile(wanted, request)
  const needed = request.targets ?? [agent ?? config.entry ?? assistant.name]
  const missing = known === undefined ? needed.filter((name) => isMissing(name, files)) : []
  // The user did not choose the editor's default team, so its permissions do not apply.
  const ofEditor =
    config.team === undefined && definesNothing(files, config) ? places.settings?.team : undefined
  const found = known ?? ofEditor ?? (missing.length === 0 ? undefined : findTeamWith(missing))
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
  // A more permissive built-in agent must not replace a broken agent file.
  const builtIns = team.agents.filter(({ name }) => !isBroken(name, files))
  const agents = createAgents({ ...places, builtIns })
  const message = `no agent file defines ${missing.join(', ')}, so Cadre uses the built-in team ${found}. To edit its agents, run "cadre init --team ${found}".`
  const why: Notice[] = known === undefined && ofEditor === undefined ? [{ code: 'team', message }] : []
  const entry = request.team === undefined ? (config.entry ?? ofSettings(agents) ?? team.entry) : team.entry
  // A team that only the configured entry agent selects was not chosen by the user: the configuration may come from the repository.
  const isNamed = known !== undefined || agent !== undefined || request.targets !== undefined
  const isChosen = isNamed && found !== ofEditor && request.teamPermits !== false
  return { agents, entry, ...(isChosen && { team }), notices: [...why, ...replacedIn(team, agents)] }
}

/** A built-in agent with the same name is a different agent, and must not replace the intended one. */
function refuseFile(agent: string, { places, policy }: RunAgentsRequest): void {
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
 * The built-in team and the targets that a run was started with. A resumed run needs them, because the project has no files for agents of
 * built-in teams.
 */
export function teamForRun({ agent, targets }: SessionSpec): Pick<RunAgentsRequest, 'team' | 'targets'> {
  return { team: teamForAgent(agent), targets }
}

/** True if no file defines the agent, not even a broken one. */
function isMissing(agent: string, files: AgentRegistry): boolean {
  if (agent.toLowerCase() === assistant.name) return false
  return files.get(agent) === undefined && !isBroken(agent, files)
}

/** True if no file, setting or configuration mentions agents, not even an invalid one. */
function definesNothing(files: AgentRegistry, { entry }: Config): boolean {
  const loaded = files.loaded()
  return (
    entry === undefined && loaded.agents.length === 0 && loaded.files.every(({ status }) => status === 'ok')
  )
}

/** True if a file with this agent's name is broken. */
function isBroken(agent: string, files: AgentRegistry): boolean {
  const key = nameKey(agent)
  return files
    .loaded()
    .files.some(({ path, status }) => status === 'failed' && nameKey(agentNameFromPath(path)) === key)
}

function replacedIn(team: Team, agents: AgentRegistry): Notice[] {
  const replaced = team.agents.flatMap(({ name }) => {
    const { source } = agents.get(name) ?? {}
    return source === undefined || source.dialect === 'built-in' ? [] : [`${name} (${source.path})`]
  })
  if (replaced.length === 0) return []
  const message = `agent files replace these agents in team ${team.name}: ${replaced.join(', ')}`
  return [{ code: 'team', message }]
}
