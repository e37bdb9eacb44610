import { readFileSync } from 'node:fs'
import type { AgentNote, PlacedFile } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'
import type { Diagnostic } from '@cadre/disk'
import type { Agent, Configuration } from '@cadre/settings-page'
import { agentsIn } from './configuration.ts'
import { settingsText } from './levels.ts'

/** Agents in the format of settings. */
export interface ImportedAgents {
  readonly agents: readonly Agent[]
  readonly entry?: string
  /** Notes about them for a person, one sentence each. */
  readonly notes: readonly string[]
}

/** Reads agents from files of any format: exported settings, agent files, templates. */
export async function importFiles(
  files: readonly { readonly path: string; readonly text: string }[],
): Promise<ImportedAgents> {
  const { importAgents } = await import('@cadre/agents')
  const { agents, diagnostics } = importAgents(files)
  const texts = new Map(files.map(({ path, text }) => [path, Buffer.from(text)]))
  const taken = await toSettingsFormat(agents, (path) => texts.get(path))
  const isSaid = ({ severity, code }: Diagnostic) => severity !== 'info' && code !== 'settings-unknown-key'
  const said = diagnostics.filter(isSaid).map(({ message }) => message)
  return { ...taken, notes: [...said, ...taken.notes] }
}

/** The agents of a built-in team: `NAME` or `NAME/VARIANT`. */
export async function importTeam(name: string): Promise<ImportedAgents> {
  const { loadTeam } = await import('@cadre/agents')
  const team = loadTeam(name)
  const taken = await toSettingsFormat(team.agents, () => undefined)
  return { ...taken, entry: team.entry }
}

/** Notes about the conversion to settings concern other programs, except for what could not be written. */
async function toSettingsFormat(
  agents: readonly AgentDefinition[],
  read: (path: string) => Buffer | undefined,
): Promise<ImportedAgents> {
  const { exportAgents } = await import('@cadre/agents')
  const { files, faults, entry } = exportAgents({ agents, to: 'settings', read })
  const value = JSON.parse(files[0]?.text ?? '{}') as { agents?: unknown }
  return {
    agents: agentsIn(value.agents),
    ...(entry !== undefined && { entry }),
    notes: faults.map(noteText),
  }
}

/** The format that every version can import: `{version, entryAgent, agents}`. */
export function exportedText({ entryAgent, agents }: Configuration): string {
  return `${JSON.stringify({ version: '1.0.0', entryAgent, agents }, null, 2)}\n`
}

export interface ExportedFiles {
  readonly files: readonly PlacedFile[]
  readonly notes: readonly string[]
}

/** The same agents as files for `.github/agents`. */
export async function exportedFiles(configuration: Configuration): Promise<ExportedFiles> {
  const { exportAgents, readSettingsAgents } = await import('@cadre/agents')
  const { entryAgent, agents } = configuration
  const text = settingsText({ entryAgent, agents })
  const read = readSettingsAgents({ path: 'settings', text })
  const { files, notes, faults } = exportAgents({
    agents: read.agents.map(({ agent }) => agent),
    to: 'copilot',
    read: (path) => (path === 'settings' ? Buffer.from(text) : undefined),
  })
  return { files, notes: [...faults, ...notes].map(noteText) }
}

/** Agents of files and teams, in the format of settings. */
export async function toConfiguration(
  agents: readonly AgentDefinition[],
  entry: string | undefined,
): Promise<Configuration> {
  const taken = await toSettingsFormat(agents, readIfPresent)
  return { entryAgent: entry ?? taken.entry ?? taken.agents[0]?.name ?? '', agents: taken.agents }
}

function readIfPresent(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

function noteText({ agent, message }: AgentNote): string {
  return `${agent}: ${message}`
}
