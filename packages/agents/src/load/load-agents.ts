import type { AgentDefinition } from '@cadre/core'
import type { AgentPaths } from './agent-paths.ts'
import { combineAgents, type LoadedAgents } from './combine-agents.ts'
import { findAgentFiles } from './find-agent-files.ts'
import { readAgentFile, readEditorSettings } from './read-agent-file.ts'

export interface AgentsRequest extends AgentPaths {
  /** Agents that need no file; every file may redefine the same name. A function is called each time. */
  readonly builtIns?: readonly AgentDefinition[] | (() => readonly AgentDefinition[])
}

/**
 * Reads all agents. Levels, from lowest to highest: built-in, user, project, templates of the home, settings. An unusable
 * file is never skipped silently: it is in `files`, with the reason.
 */
export async function loadAgents(request: AgentsRequest): Promise<LoadedAgents> {
  const { files, ...gaps } = findAgentFiles(request)
  const parsed = [...files.map((file) => ({ file, read: readAgentFile(file) })), ...editorSettingsOf(request)]
  return combineAgents({ parsed, ...gaps, builtIns: builtInsOf(request) })
}

export function builtInsOf({ builtIns = [] }: AgentsRequest): readonly AgentDefinition[] {
  return typeof builtIns === 'function' ? builtIns() : builtIns
}

export function editorSettingsOf({ settings }: AgentPaths): ReturnType<typeof readEditorSettings>[] {
  return settings === undefined ? [] : [readEditorSettings(settings)]
}
