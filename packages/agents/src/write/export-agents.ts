import path from 'node:path'
import type { AgentDefinition } from '@cadre/core'
import { decodeText } from '@cadre/disk'
import { findLead } from '../load/find-lead.ts'
import { readSettingsAgents } from '../settings/read-settings.ts'
import { dialectFacts, type TargetDialect } from './dialect-facts.ts'
import { agentFilePath } from './file-name.ts'
import type { PlacedFile } from './place-files.ts'
import { serializeAgent } from './serialize-agent.ts'
import { addOrderMetadata, type OrderedAgents, restoreOrder } from './team-order.ts'
import { type NameMode, translateToHost } from './translate-to-host.ts'
import { type AgentNote, writeSettings } from './write-settings.ts'

export interface ExportRequest {
  readonly agents: readonly AgentDefinition[]
  readonly to: TargetDialect
  /**
   * Whether tools and models keep their names. Default: use the names of Claude Code and opencode, unless the agent was
   * already written for that program, because it ignores all others; otherwise keep them.
   */
  readonly names?: NameMode
  /** Returns the content of an agent's file; `undefined` if it does not exist. Absent: no file exists. */
  readonly read?: (path: string) => Buffer | undefined
}

export interface ExportedAgents {
  /** Paths are relative to a project; for templates, to a home. */
  readonly files: readonly PlacedFile[]
  /** What the host of the dialect does not support. */
  readonly notes: readonly AgentNote[]
  /** What could not be written and is not in the files. */
  readonly faults: readonly AgentNote[]
  /** For settings: the entry agent. */
  readonly entry?: string
}

const settingsFile = 'copilot-multi-agent.json'

/**
 * Writes agents in another dialect. An agent that is already a file of that dialect is copied byte for byte. The order and
 * the entry agent of settings are kept.
 */
export function exportAgents({ agents, to, names, read = () => undefined }: ExportRequest): ExportedAgents {
  const marked = markedAgents(agents, read)
  if (to === 'settings') {
    const ordered = restoreOrder(marked)
    const { text, value, notes, faults } = writeSettings(withEntry(ordered))
    const entry = value['entryAgent']
    const files =
      Array.isArray(value['agents']) && value['agents'].length > 0 ? [{ path: settingsFile, text }] : []
    return { files, notes, faults, ...(typeof entry === 'string' && { entry }) }
  }
  const used = new Set<string>()
  const files: PlacedFile[] = []
  const notes: AgentNote[] = []
  const faults: AgentNote[] = []
  for (const agent of marked) {
    const { source, name } = agent
    const isRenamed = names === 'host' && to !== 'template' && translateToHost(agent, to).notes.length > 0
    const own = source?.dialect === to && !isRenamed ? read(source.path) : undefined
    if (source !== undefined && own !== undefined) {
      const file = `${dialectFacts(to).folder}/${path.basename(source.path)}`
      if (used.has(file.toLowerCase()))
        faults.push({ agent: name, message: `Another agent already uses the file ${file}.` })
      else files.push({ path: file, text: decodeText(own), bytes: own })
      used.add(file.toLowerCase())
      continue
    }
    const written = serializeAgent(agent, to, {
      path: agentFilePath(name, to, used),
      names: names ?? namingOf(agent, to),
    })
    notes.push(...written.notes.map((message) => ({ agent: name, message })))
    if (written.lost.length === 0) files.push({ path: written.path, text: written.text })
    else
      faults.push({
        agent: name,
        message: `Cadre did not export it, because the file would lose its ${written.lost.join(', ')}.`,
      })
  }
  return { files, notes, faults }
}

function namingOf({ source }: AgentDefinition, to: TargetDialect): NameMode {
  return (to === 'claude' || to === 'opencode') && source?.dialect !== to ? 'host' : 'keep'
}

/** Agents from settings get a mark with their position; others may have one. */
function markedAgents(
  agents: readonly AgentDefinition[],
  read: NonNullable<ExportRequest['read']>,
): readonly AgentDefinition[] {
  const places = new Set(
    agents.flatMap(({ source }) => (source?.dialect === 'settings' ? [source.path] : [])),
  )
  const marked = new Map<AgentDefinition, AgentDefinition>()
  for (const place of places) {
    const text = decodeText(read(place) ?? Buffer.alloc(0))
    const { agents: defined, entry } = readSettingsAgents({ path: place, text })
    const ordered = defined.flatMap(
      ({ agent }) => agents.find((other) => other.source?.path === place && other.name === agent.name) ?? [],
    )
    const results = addOrderMetadata({ agents: ordered, ...(entry !== undefined && { entry }) })
    for (const [index, agent] of ordered.entries()) marked.set(agent, results[index] ?? agent)
  }
  return agents.map((agent) => marked.get(agent) ?? agent)
}

function withEntry(ordered: OrderedAgents): OrderedAgents {
  if (ordered.entry !== undefined) return ordered
  const lead = findLead(ordered.agents)
  return lead === undefined ? ordered : { ...ordered, entry: lead.name }
}
