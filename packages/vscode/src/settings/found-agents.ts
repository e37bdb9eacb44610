import type { AgentFile } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'
import type { AgentFileState } from '@cadre/settings-page'
import * as vscode from 'vscode'
import { currentFolder } from '../folder.ts'
import type { Services } from '../services.ts'

/** The agents in a folder, as a run would find them. */
export interface FoundAgents {
  readonly agents: readonly AgentDefinition[]
  readonly entry?: string
  /** Every file that was read, without settings. */
  readonly files: readonly AgentFile[]
  readonly notices: readonly string[]
}

/** Reads the agents of the settings, of files and of the built-in team. Reads nothing from an untrusted workspace. */
export async function findAgents({ settings, homes }: Services): Promise<FoundAgents> {
  const folder = currentFolder()
  const ofEditor = settings.of(folder?.uri)
  if (folder === undefined || !vscode.workspace.isTrusted) {
    const [{ createAgents, loadTeam }, { userPaths }] = await Promise.all([
      import('@cadre/agents'),
      import('@cadre/runtime'),
    ])
    const places = { userHome: userPaths(process.env).home, settings: ofEditor }
    const own = createAgents(places).loaded()
    const team = own.agents.length > 0 || ofEditor.team === undefined ? undefined : loadTeam(ofEditor.team)
    const entry = own.entry ?? ofEditor.entry ?? team?.entry
    return {
      agents: team?.agents ?? own.agents,
      ...(entry !== undefined && { entry }),
      files: own.files.filter(({ dialect }) => dialect !== 'settings'),
      notices: [],
    }
  }
  const { findAvailableAgents: agentsHere } = await import('@cadre/runtime')
  const here = await agentsHere(homes.environment(folder), { settings: ofEditor })
  const { agents, files } = here.registry.loaded()
  return {
    agents: agents.filter((agent) => here.refusal(agent) === undefined),
    ...(here.entry !== undefined && { entry: here.entry }),
    files: files.filter(({ dialect }) => dialect !== 'settings'),
    notices: here.notices,
  }
}

/** The state of agent files for the page: the results of `cadre lint`. */
export async function fileStates(files: readonly AgentFile[]): Promise<readonly AgentFileState[]> {
  if (files.length === 0) return []
  const { lintFiles, shownPath } = await import('@cadre/agents')
  const cwd = currentFolder()?.uri.fsPath ?? ''
  const { files: linted } = await lintFiles(
    files.map(({ path }) => path),
    { cwd },
  )
  const byPath = new Map(linted.map((file) => [file.path, file]))
  return files.map(({ path, agent, status, shadowedBy, diagnostics: ofLoading }) => {
    const shown = shownPath(cwd, path)
    const diagnostics = byPath.get(shown)?.diagnostics ?? ofLoading
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    const warnings = diagnostics.filter(({ severity }) => severity === 'warning')
    const [first] = [...errors, ...warnings]
    return {
      id: path,
      path: shown,
      status,
      errors: errors.length,
      warnings: warnings.length,
      ...(agent !== undefined && { agent }),
      ...(first !== undefined && { firstProblem: first.message }),
      ...(shadowedBy !== undefined && { shadowedBy }),
    }
  })
}
