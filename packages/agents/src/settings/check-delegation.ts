import type { DelegateSelection } from '@cadre/core'
import type { SettingsAgent } from './check-settings-agent.ts'
import { settingsLimits } from './settings-limits.ts'
import { describeValue, type SettingsLocation, type SettingsReport } from './settings-report.ts'

/** Resolves which agents each agent may delegate to, once all agents are known. Names are case-sensitive. */
export function checkDelegation(
  agents: readonly SettingsAgent[],
  report: SettingsReport,
): ReadonlyMap<string, DelegateSelection> {
  const names = new Set(agents.map(({ name }) => name))
  const selections = new Map<string, DelegateSelection>()
  let edges = 0
  for (const agent of agents) {
    const selection = known(agent, names, report)
    edges += targetsOf(agent.name, selection, names).length
    if (edges > settingsLimits.delegations) {
      report.warning(placeOf(agent), 'settings-delegations', {
        fault: `raises the number of permitted delegations to ${edges}, but the limit is ${settingsLimits.delegations}`,
        effect: 'The agent may not delegate',
        fix: 'Name only the agents that are needed.',
      })
      edges -= targetsOf(agent.name, selection, names).length
      selections.set(agent.name, { kind: 'none' })
    } else selections.set(agent.name, selection)
  }
  const cycle = findCycle(agents, selections, names)
  const first = agents.find(({ name }) => name === cycle?.[0])
  if (cycle !== undefined && first !== undefined)
    report.warning(placeOf(first), 'settings-cycle', {
      fault: `permits a cycle: ${cycle.join(' → ')}. This is harmless: Cadre denies delegations that would complete it`,
    })
  return selections
}

function known(agent: SettingsAgent, names: ReadonlySet<string>, report: SettingsReport): DelegateSelection {
  const { delegation } = agent
  if (delegation.kind !== 'list') return { kind: delegation.kind }
  const there = [...delegation.names].flatMap(([name, { index, line }]) => {
    if (names.has(name)) return [name]
    const at = { path: `${placeOf(agent).path}.agents[${index}]`, line }
    report.warning(at, 'settings-unknown-agent', {
      fault: `names ${describeValue(name)}, but there is no such agent`,
      effect: 'Cadre ignores the name',
    })
    return []
  })
  return there.length === 0 ? { kind: 'none' } : { kind: 'list', names: there }
}

function placeOf({ place, delegation }: SettingsAgent): SettingsLocation {
  return { path: `${place.path}.delegationPermissions`, line: delegation.line }
}

function targetsOf(
  self: string,
  selection: DelegateSelection | undefined,
  names: ReadonlySet<string>,
): readonly string[] {
  if (selection === undefined || selection.kind === 'none') return []
  return selection.kind === 'all' ? [...names].filter((name) => name !== self) : selection.names
}

/** Returns the first cycle, which starts and ends with the same agent. */
function findCycle(
  agents: readonly SettingsAgent[],
  selections: ReadonlyMap<string, DelegateSelection>,
  names: ReadonlySet<string>,
): readonly string[] | undefined {
  const done = new Set<string>()
  const search = (name: string, above: readonly string[]): readonly string[] | undefined => {
    if (above.includes(name)) return [...above.slice(above.indexOf(name)), name]
    if (done.has(name)) return undefined
    for (const target of targetsOf(name, selections.get(name), names)) {
      const found = search(target, [...above, name])
      if (found !== undefined) return found
    }
    done.add(name)
    return undefined
  }
  for (const { name } of agents) {
    const found = search(name, [])
    if (found !== undefined) return found
  }
  return undefined
}
