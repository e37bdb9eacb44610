import type { Configuration, LevelState, Problem } from './protocol.ts'

/** Returns the problems of a field, or of anything in it. */
export function problemsAt(problems: readonly Problem[], path: string): readonly Problem[] {
  return problems.filter(
    (problem) =>
      problem.path === path || problem.path.startsWith(`${path}.`) || problem.path.startsWith(`${path}[`),
  )
}

export interface VisibleProblemsRequest {
  /** The problems of the edits. */
  readonly problems: readonly Problem[]
  readonly configuration: Configuration
  readonly level: LevelState | undefined
  /** The user has tried to save. */
  readonly tried: boolean
}

/**
 * Returns the problems to show, of edits and of saved settings. Empty fields of a new agent are reported only after an
 * attempt to save.
 */
export function visibleProblems({
  problems,
  configuration,
  level,
  tried,
}: VisibleProblemsRequest): readonly Problem[] {
  const set = level?.configuration
  const asWritten = (level?.problems ?? []).filter((problem) => isUnedited(problem, configuration, set))
  if (configuration.agents.length === 0) return asWritten
  const ofEdits = problems.filter(
    (problem) => tried || problem.isEmpty !== true || !isNew(agentOf(problem), configuration, set),
  )
  return [...asWritten, ...ofEdits]
}

/** A saved agent keeps its index or its name while it is edited. */
function isNew(
  index: number | undefined,
  { agents }: Configuration,
  set: Configuration | undefined,
): boolean {
  if (index === undefined || set === undefined) return true
  const has = (list: Configuration['agents'], name: string | undefined) =>
    list.some((agent) => agent.name === name)
  if (has(set.agents, agents[index]?.name)) return false
  const before = set.agents[index]?.name
  return before === undefined || has(agents, before)
}

function isUnedited(
  { path }: Problem,
  configuration: Configuration,
  set: Configuration | undefined,
): boolean {
  if (path === 'entryAgent') return configuration.entryAgent === set?.entryAgent
  const [, index, field = ''] = agentPath.exec(path) ?? []
  if (index === undefined) return true
  const [now, before] = [configuration, set].map((one) => one?.agents[Number(index)])
  return now?.name === before?.name && JSON.stringify(now?.[field]) === JSON.stringify(before?.[field])
}

const agentPath = /^agents\[(\d+)\](?:\.(\w+))?/

const labels: { readonly [field: string]: string } = {
  name: 'Name',
  systemPrompt: 'Instructions',
  description: 'Description',
  useFor: 'Use for',
  delegationPermissions: 'Delegation',
  toolPermissions: 'Tools',
  model: 'Model',
}

/** The place of a problem, for people. */
export function placeOf({ path }: Problem, names: readonly string[]): string {
  const [, index, field = ''] = agentPath.exec(path) ?? []
  if (index === undefined) return path === 'entryAgent' ? 'Entry agent' : 'Agents'
  const agent = names[Number(index)] || `Agent ${Number(index) + 1}`
  return field === '' ? agent : `${agent}, ${labels[field] ?? field}`
}

/** Returns the agent of a problem. */
export function agentOf({ path }: Problem): number | undefined {
  const [, index] = agentPath.exec(path) ?? []
  return index === undefined ? undefined : Number(index)
}
