import { type AgentDefinition, nameKey } from '@cadre/core'
import type { Diagnostic } from '@cadre/disk'
import { dialectOf } from '../load/dialects.ts'
import { readAgentText } from '../load/read-agent-text.ts'
import { readSettingsAgents } from '../settings/read-settings.ts'

export interface ImportedAgents {
  readonly agents: readonly AgentDefinition[]
  /** Errors in the files, migrated values, and defaults. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads agents from files in any dialect. Two agents with one name are an error, because only one could be written. */
export function importAgents(
  files: readonly { readonly path: string; readonly text: string }[],
): ImportedAgents {
  const agents: AgentDefinition[] = []
  const diagnostics: Diagnostic[] = []
  const seen = new Map<string, AgentDefinition>()
  for (const file of files) {
    const read = withAgents(
      dialectOf(file.path, file.text).format === 'settings' ? readSettings(file) : readFile(file),
      file.path,
    )
    diagnostics.push(...read.diagnostics)
    for (const agent of read.agents) {
      const other = seen.get(nameKey(agent.name))
      if (other === undefined) {
        seen.set(nameKey(agent.name), agent)
        agents.push(agent)
      } else diagnostics.push(duplicateDiagnostic(agent, other, file.path))
    }
  }
  return { agents, diagnostics }
}

function readSettings(file: { readonly path: string; readonly text: string }): ImportedAgents {
  const { agents, diagnostics } = readSettingsAgents(file)
  return { agents: agents.map(({ agent }) => agent), diagnostics }
}

function readFile(file: { readonly path: string; readonly text: string }): ImportedAgents {
  const { agent, diagnostics } = readAgentText(file)
  return { agents: agent === undefined ? [] : [agent], diagnostics }
}

/** The user named this file, so it must contain agents. */
function withAgents(read: ImportedAgents, path: string): ImportedAgents {
  if (read.agents.length > 0 || read.diagnostics.some(({ severity }) => severity === 'error')) return read
  const message = 'This file contains no agents.'
  const found: Diagnostic = { path, line: 1, severity: 'error', code: 'no-agents', message }
  return { agents: [], diagnostics: [...read.diagnostics, found] }
}

function duplicateDiagnostic(agent: AgentDefinition, other: AgentDefinition, path: string): Diagnostic {
  const { source } = other
  const place = source === undefined ? 'another file' : `${source.path}:${source.line ?? 1}`
  return {
    path,
    line: agent.source?.line ?? 1,
    severity: 'error',
    code: 'name-twice',
    message: `${agent.name} is also defined in ${place}.`,
    fix: 'Import one of them.',
  }
}
