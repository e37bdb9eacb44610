import path from 'node:path'
import type { AgentDefinition } from '@cadre/core'
import { agentHooksItem, readAgentHooks } from '../hooks/agent-hooks.ts'
import { findHooks } from '../hooks/find-hooks.ts'
import type { FolderContents, FolderItem } from './folder-item.ts'

export interface HookItemsRequest {
  readonly project: string
  readonly userHome: string
  /** `/etc/cadre/hooks.d`. */
  readonly policyFolder?: string | undefined
  readonly agents: readonly AgentDefinition[]
  /** A home of the user's own: its agents and scripts are not part of the project. */
  readonly ownHome?: string | undefined
}

/**
 * Returns the hooks in a project and its agents with the scripts they name, and project files that the user's own hooks
 * run. Runs none of them.
 */
export function hookItems(request: HookItemsRequest): FolderContents {
  const { project, agents, ownHome } = request
  const { files, diagnostics } = findHooks({ ...request, trusted: () => false })
  const ofFiles = files
    .filter(({ level, hooks }) => level === 'project' && hooks > 0)
    .map(({ path, sha256, hooks }): FolderItem => ({ path, sha256, file: path, what: whatOf(hooks) }))
  const ofAgents = agents.flatMap((agent): FolderItem[] => {
    const item = agentHooksItem(agent, project, ownHome)
    if (item === undefined) return []
    const { path = agent.name, line } = agent.source ?? {}
    const what = `${whatOf(readAgentHooks(agent).hooks.length)} (in agent ${agent.name})`
    return [{ ...item, file: path, ...(line !== undefined && { line }), what }]
  })
  const ofOthers = files.flatMap(({ path: file, projectFiles }): FolderItem[] => {
    if (projectFiles === undefined) return []
    const names = projectFiles.files.map((name) => path.relative(project, name)).join(', ')
    const what = `contains a hook that runs files in this project: ${names}`
    return [{ path: projectFiles.path, sha256: projectFiles.sha256, file, what }]
  })
  const unusable = diagnostics
    .filter(({ code }) => code === 'hooks-outside' || code === 'hooks-unreadable')
    .map(({ path, message }) => ({ file: path, reason: message }))
  return { items: [...ofFiles, ...ofAgents, ...ofOthers], unusable }
}

function whatOf(count: number): string {
  return `runs ${count === 1 ? 'a hook' : `${count} hooks`} while agents work`
}
