import type { AgentDefinition } from '@cadre/core'
import { agentHooksItem, readAgentHooks } from '../hooks/agent-hooks.ts'
import { findHooks } from '../hooks/find-hooks.ts'
import type { FolderContents, FolderItem } from './folder-item.ts'

export interface HookItemsRequest {
  readonly project: string
  readonly userHome: string
  readonly agents: readonly AgentDefinition[]
}

/** The hooks that a project and its agents bring, with the scripts they name. None of them is run. */
export function hookItems({ project, userHome, agents }: HookItemsRequest): FolderContents {
  const { files, diagnostics } = findHooks({ project, userHome, trusted: () => false })
  const ofFiles = files
    .filter(({ level, hooks }) => level === 'project' && hooks > 0)
    .map(({ path, sha256, hooks }): FolderItem => ({ path, sha256, file: path, what: whatOf(hooks) }))
  const ofAgents = agents.flatMap((agent): FolderItem[] => {
    const item = agentHooksItem(agent, project)
    if (item === undefined) return []
    const { path = agent.name, line } = agent.source ?? {}
    const what = `${whatOf(readAgentHooks(agent).hooks.length)} (of the agent ${agent.name})`
    return [{ ...item, file: path, ...(line !== undefined && { line }), what }]
  })
  const unusable = diagnostics
    .filter(({ code }) => code === 'hooks-outside' || code === 'hooks-unreadable')
    .map(({ path, message }) => ({ file: path, reason: message }))
  return { items: [...ofFiles, ...ofAgents], unusable }
}

function whatOf(count: number): string {
  return `runs ${count === 1 ? 'a hook' : `${count} hooks`} when agents work`
}
