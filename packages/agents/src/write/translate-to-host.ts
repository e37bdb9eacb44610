import {
  type AgentDefinition,
  classOf,
  interpretToolName,
  knowsModel,
  type NamingHost,
  namesFor,
  type PermissionRule,
} from '@cadre/core'
import { dialectFacts } from './dialect-facts.ts'
import { extraTools, grantsNoMoreThan, isCoveredByNames, isRestrictedByNames } from './tool-meanings.ts'

/** Whether tool and model names are kept, or replaced by those of the program that a file is written for. */
export type NameMode = 'keep' | 'host'

export interface RenamedAgent {
  readonly agent: AgentDefinition
  /** Every change, as sentences. Empty if nothing changed. */
  readonly notes: readonly string[]
}

/**
 * Translates an agent to the names of a host. In Cadre it may do no more than before: `tools` names only what was already
 * granted, and everything denied by `disallowedTools` and rules stays denied.
 */
export function translateToHost(agent: AgentDefinition, host: NamingHost): RenamedAgent {
  const { host: label } = dialectFacts(host)
  const changes = new Map<string, string>()
  const note = (name: string, names: readonly string[]) => {
    if (names.length !== 1 || names[0] !== name) changes.set(name, `${name} → ${names.join(', ')}`)
  }
  const forbidden = forbiddenNames(agent, host, note)
  const granted = toolNames(agent, host, forbidden.names, note)
  const disallowed = [...new Set([...forbidden.names, ...granted.withheld])]
  const chosen = hostModels(agent.models, host)
  const { models: _, ...rest } = agent
  const renamed: AgentDefinition = {
    ...rest,
    tools: agent.tools.kind === 'list' ? { kind: 'list', names: granted.names } : agent.tools,
    ...(disallowed.length > 0 && { disallowedTools: disallowed }),
    ...(agent.permissions !== undefined && { permissions: rulesIn(agent.permissions, host, note) }),
    ...(chosen.models !== undefined && { models: chosen.models }),
  }
  return {
    agent: renamed,
    notes: [
      ...(changes.size > 0 ? [`Renamed for ${label}: ${[...changes.values()].join('; ')}.`] : []),
      ...(granted.left.length > 0
        ? [`${label} has no name for ${granted.left.join(', ')}. Cadre omitted this from the tools.`]
        : []),
      ...(granted.names.length > 0 && granted.isAsBefore
        ? [
            `${label} has none of this agent's tools. Cadre kept the tool names, but they grant nothing in ${label}.`,
          ]
        : []),
      ...(granted.withheld.length > 0
        ? [
            `In Cadre, the new names would grant more tools, so the file denies these: ${granted.withheld.join(', ')}.${moduleNote(granted.withheld)}`,
          ]
        : []),
      ...(forbidden.open.length > 0
        ? [`${label} has no name for ${forbidden.open.join(', ')}, so it does not enforce that restriction.`]
        : []),
      ...chosen.notes,
    ],
  }
}

type Note = (name: string, names: readonly string[]) => void

interface Granted {
  readonly names: readonly string[]
  /** Tools without a name in the host. */
  readonly left: readonly string[]
  /** Cadre tools that the new names would grant and the old ones did not. */
  readonly withheld: readonly string[]
  /** No tool has a name, so the old names are kept: some hosts read an empty list as every tool. */
  readonly isAsBefore: boolean
}

function toolNames(
  { tools }: AgentDefinition,
  host: NamingHost,
  forbidden: readonly string[],
  note: Note,
): Granted {
  const before = tools.kind === 'list' ? tools.names : []
  const names = new Set<string>()
  const left: string[] = []
  const withheld = new Set<string>()
  for (const name of before) {
    const found = (namesFor(host, name) ?? []).filter((candidate) => {
      if (grantsNoMoreThan(candidate, before)) return true
      const more = isOwnDelegation(name) ? otherDelegation(name) : extraTools(candidate, before)
      for (const tool of more ?? []) withheld.add(tool)
      return more !== undefined
    })
    // Hosts have one way to delegate and Cadre has two, so Cadre's name is kept next to the host's.
    if (found.length > 0 && isOwnDelegation(name) && !isCoveredByNames(name, found)) found.push(name)
    if (found.length === 0) left.push(name)
    else note(name, found)
    for (const one of found) names.add(one)
  }
  // A denied name is not granted, because a mapping can have each name only once.
  const given = host === 'opencode' ? [...names].filter((one) => !forbidden.includes(one)) : [...names]
  if (given.length === 0 && before.length > 0)
    return { names: before, left: [], withheld: [], isAsBefore: true }
  return { names: given, left, withheld: [...withheld], isAsBefore: false }
}

/** Returns the host's names, and the name itself unless those cover it. */
function forbiddenNames(agent: AgentDefinition, host: NamingHost, note: Note) {
  const open: string[] = []
  const names = (agent.disallowedTools ?? []).flatMap((name) => {
    if (isOwnDelegation(name) && otherDelegation(name).some((other) => isGranted(other, agent))) return [name]
    const found = namesFor(host, name)
    if (found === undefined) open.push(name)
    const all = [...(found ?? []), ...(isRestrictedByNames(name, found ?? []) ? [] : [name])]
    note(name, all)
    return all
  })
  return { names, open }
}

/**
 * Repeats a rule for each name. Together they cover what it covered before; only a deny may cover more, because any other
 * could override an earlier rule.
 */
function rulesIn(rules: readonly PermissionRule[], host: NamingHost, note: Note): readonly PermissionRule[] {
  return rules.flatMap((rule) => {
    const { tool, action } = rule
    const found = [...(namesFor(host, tool) ?? []), ...editOf(rule, host)]
    const fitting = found.filter((name) => action === 'deny' || grantsNoMoreThan(name, [tool]))
    const isCovered = action === 'allow' ? isCoveredByNames : isRestrictedByNames
    const all = [...new Set([...fitting, ...(isCovered(tool, fitting) ? [] : [tool])])]
    note(tool, all)
    return all.map((name) => ({ ...rule, tool: name }))
  })
}

/** opencode has one rule for everything that changes files. */
function editOf({ tool, action }: PermissionRule, host: NamingHost): readonly string[] {
  if (host !== 'opencode' || action !== 'deny') return []
  const meaning = interpretToolName(tool)
  const isEdit = meaning.kind === 'tools' && meaning.names.some((name) => classOf(name) === 'edit')
  return isEdit ? ['edit'] : []
}

const delegations = ['delegateWork', 'delegate_task']

function isOwnDelegation(name: string): boolean {
  return delegations.includes(name)
}

function otherDelegation(name: string): readonly string[] {
  return delegations.filter((other) => other !== name)
}

/** True if the agent's lists grant one of Cadre's tools. */
function isGranted(tool: string, { tools, disallowedTools = [], delegates }: AgentDefinition): boolean {
  if (delegates?.kind === 'none' || disallowedTools.some((name) => grantsNoMoreThan(tool, [name])))
    return false
  return tools.kind === 'all' || grantsNoMoreThan(tool, tools.names)
}

/** A class may contain tools that are unknown here. */
function moduleNote(withheld: readonly string[]): string {
  const isOfClass = withheld.some((tool) => !isOwnDelegation(tool))
  return isOfClass ? ' The agent also gets read-only tools from tool modules.' : ''
}

interface HostModels {
  readonly models?: readonly string[]
  readonly notes: readonly string[]
}

/** Returns the one model for a host: the first whose name it can know. None: it uses the model of the conversation. */
function hostModels(models: readonly string[] | undefined, host: NamingHost): HostModels {
  if (models === undefined || host === 'copilot')
    return { ...(models !== undefined && { models }), notes: [] }
  const { host: label } = dialectFacts(host)
  const chosen = models.find((model) => model !== 'inherit' && knowsModel(host, model))
  const left = models.filter((model) => model !== chosen).join(', ')
  if (chosen === undefined)
    return {
      notes: [`${label} does not support model ${left}, so the agent uses the conversation's model.`],
    }
  return {
    models: [chosen],
    notes: left === '' ? [] : [`${label} allows one model per agent. Kept: ${chosen}. Omitted: ${left}.`],
  }
}
