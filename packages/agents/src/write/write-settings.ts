import { type AgentDefinition, type JsonObject, nameKey } from '@cadre/core'
import { settingsVersion } from '../settings/default-settings.ts'
import { readSettingsAgents } from '../settings/read-settings.ts'
import {
  faultInSettingsName,
  faultInToolName,
  lengthOf,
  settingsLimits,
} from '../settings/settings-limits.ts'
import { definitionDifferences } from './differences.ts'
import { hostNotes } from './host-notes.ts'
import { normaliseAgent } from './normalise-agent.ts'
import { settingsAgentValue } from './settings-agent-value.ts'
import type { OrderedAgents } from './team-order.ts'

/** A message about one agent, for a person. */
export interface AgentNote {
  readonly agent: string
  readonly message: string
}

export interface WrittenSettings {
  /** `{version, entryAgent, agents}`. */
  readonly value: JsonObject
  readonly text: string
  readonly notes: readonly AgentNote[]
  /** What settings cannot express. The agent, or the named part, is not in the text. */
  readonly faults: readonly AgentNote[]
}

/** Writes agents as settings: all in one text, in order. Nothing is renamed or cut to fit. */
export function writeSettings({ agents, entry }: OrderedAgents): WrittenSettings {
  const faults: AgentNote[] = []
  const notes: AgentNote[] = []
  const usable = agentsThatFit(agents.map(normaliseAgent), faults).map((agent, _, all) =>
    withKnownTargets(agent, all, faults, notes),
  )
  const first = usable.find(({ name }) => name === entry) ?? usable[0]
  if (first !== undefined && first.name !== entry && usable.length > 1)
    notes.push({
      agent: first.name,
      message: 'No agent is marked as the entry, so Cadre uses the first one.',
    })
  const values = usable.map((agent) => settingsAgentValue(agent, agent === first))
  const value: JsonObject = {
    version: settingsVersion,
    ...(first !== undefined && { entryAgent: first.name }),
    agents: values,
  }
  const text = `${JSON.stringify(value, null, 2)}\n`
  for (const [index, agent] of usable.entries()) {
    for (const message of hostNotes(agent, 'settings', Object.entries(values[index] ?? {})))
      notes.push({ agent: agent.name, message })
  }
  return { value, text, notes, faults: [...faults, ...lossesIn(text, usable)] }
}

function agentsThatFit(agents: readonly AgentDefinition[], faults: AgentNote[]): readonly AgentDefinition[] {
  const seen = new Set<string>()
  const usable = agents.filter((agent) => {
    const found = [...faultsOf(agent), ...(seen.has(agent.name) ? ['Another agent has the same name.'] : [])]
    seen.add(agent.name)
    faults.push(
      ...found.map((message) => ({ agent: agent.name, message: `${message} Cadre omitted this agent.` })),
    )
    return found.length === 0
  })
  const max = settingsLimits.agents
  for (const { name } of usable.slice(max))
    faults.push({
      agent: name,
      message: `Settings can contain at most ${max} agents. Cadre omitted this agent.`,
    })
  return usable.slice(0, max)
}

function faultsOf({ name, description, useFor = '', prompt, tools }: AgentDefinition): string[] {
  const faults: string[] = []
  const fault = faultInSettingsName(name)
  if (fault !== undefined) faults.push(`In settings, a name ${fault}.`)
  if (prompt.trim() === '') faults.push('It has no instructions, which settings require.')
  const { prompt: maxPromptLength, text: max } = settingsLimits
  const length = lengthOf(prompt)
  if (length > maxPromptLength)
    faults.push(
      `Its instructions have ${length} characters. Settings can contain at most ${maxPromptLength}.`,
    )
  if (lengthOf(description) > max) faults.push(`Its description is longer than ${max} characters.`)
  if (lengthOf(useFor) > max) faults.push(`Its useFor is longer than ${max} characters.`)
  for (const tool of tools.kind === 'list' ? tools.names : []) {
    const found = faultInToolName(tool)
    if (found !== undefined) faults.push(`The tool name ${JSON.stringify(tool.slice(0, 80))} ${found}.`)
  }
  return faults
}

/** Names in settings are case-sensitive, and can refer only to agents in them. */
function withKnownTargets(
  agent: AgentDefinition,
  all: readonly AgentDefinition[],
  faults: AgentNote[],
  notes: AgentNote[],
): AgentDefinition {
  if (agent.delegates?.kind !== 'list') return agent
  const names = agent.delegates.names.flatMap((name) => {
    if (all.some((other) => other.name === name)) return [name]
    const other = all.find((candidate) => nameKey(candidate.name) === nameKey(name))
    if (other === undefined) {
      const message = `It may delegate to ${JSON.stringify(name)}, which is not among the exported agents. Cadre omitted that name.`
      faults.push({ agent: agent.name, message })
      return []
    }
    notes.push({
      agent: agent.name,
      message: `It may delegate to ${JSON.stringify(name)}. Cadre wrote that agent's exact name, ${other.name}.`,
    })
    return [other.name]
  })
  const unique = [...new Set(names)]
  return { ...agent, delegates: unique.length === 0 ? { kind: 'none' } : { kind: 'list', names: unique } }
}

/** Returns what differs when read back; empty unless reader and writer disagree. */
function lossesIn(text: string, agents: readonly AgentDefinition[]): AgentNote[] {
  const read = readSettingsAgents({ path: 'agents.json', text })
  return agents.flatMap((agent) => {
    const found = read.agents.find((other) => other.agent.name === agent.name)
    const lost = definitionDifferences(agent, found?.agent)
    if (lost.length === 0) return []
    return [{ agent: agent.name, message: `Settings cannot store its ${lost.join(', ')} unchanged.` }]
  })
}
