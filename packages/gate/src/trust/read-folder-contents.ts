import path from 'node:path'
import type { AgentDefinition } from '@cadre/core'
import { readInsideFolder } from '@cadre/disk'
import { inspectProjectPolicy } from '@cadre/home'
import { readAllowlist } from '../commands/read-allowlist.ts'
import { configItems } from './config-items.ts'
import type { FolderContents, FolderItem, UnusableItem } from './folder-item.ts'
import { hookItems } from './hook-items.ts'
import { importItems } from './import-items.ts'
import { type HomeState, listHomeItems } from './list-home-items.ts'
import { permissionItems } from './permission-items.ts'
import { promptItems } from './prompt-items.ts'
import { type FolderServer, serverItems } from './server-items.ts'

export interface FolderRequest {
  readonly project: string
  /** The path of the home, which may be part of the project. */
  readonly home: string
  /** Absent: treated as part of the project. */
  readonly homeState?: HomeState | undefined
  /** The agents that files define. */
  readonly agents: readonly AgentDefinition[]
  /** The user's home directory: its files need no trust. */
  readonly userHome: string
  /** `/etc/cadre/hooks.d`. */
  readonly policyFolder?: string | undefined
  /** The MCP servers that the folder contains. */
  readonly servers?: readonly FolderServer[] | undefined
  /** Files with MCP servers that cannot be read. */
  readonly unusableServers?: readonly UnusableItem[] | undefined
}

/**
 * Returns everything in a folder that can run a program, affect decisions or permit more than the default, with a digest of
 * its content. Skips the user's own home, except for files in it that the project's git tracks. Starts nothing.
 */
export async function readFolderContents(request: FolderRequest): Promise<FolderContents> {
  const { project, home, homeState, servers = [], unusableServers = [] } = request
  const isOwn = homeState?.kind === 'own'
  const ownHome = isOwn ? home : undefined
  const hooks = hookItems({ ...request, ownHome })
  const permissions = permissionItems(project)
  const allowlist = isOwn ? { items: [], unusable: [] } : allowlistItem(home)
  const items = [
    ...(homeState === undefined ? [] : listHomeItems(home, homeState)),
    ...hooks.items,
    ...(await configItems(home, project, isOwn)),
    ...serverItems(servers, project),
    ...importItems(project, request.userHome),
    ...permissions.items,
    ...promptItems(project, request.userHome),
    ...(isOwn ? [] : await policyItems(home)),
    ...allowlist.items,
  ]
  const seen = new Set<string>()
  return {
    items: items.filter(({ path }) => (seen.has(path) ? false : seen.add(path))),
    unusable: [...hooks.unusable, ...unusableServers, ...permissions.unusable, ...allowlist.unusable],
  }
}

async function policyItems(home: string): Promise<FolderItem[]> {
  const file = path.join(home, 'storage', 'policy.yaml')
  const found = await inspectProjectPolicy(file)
  if (found === undefined) return []
  const keys = found.keys.map(({ key, value }) => `${key}: ${value}`)
  const [{ line } = { line: 1 }] = found.keys
  const what = `permits more than the default (${keys.join(', ')})`
  return [{ path: found.path, sha256: found.sha256, file, line, what }]
}

/** Returns the allowlist of a home, if it allows any command without approval. */
function allowlistItem(home: string): FolderContents {
  const file = path.join(home, 'storage', 'terminal-cmd-allowlist.yaml')
  const content = readInsideFolder(home, file)
  if (content.kind === 'unusable') return { items: [], unusable: [{ file, reason: content.reason }] }
  if (content.kind === 'none' || !readAllowlist(content.text, file).widens) return { items: [], unusable: [] }
  const what = 'allows commands without approval'
  return { items: [{ path: file, sha256: content.sha256, file, what }], unusable: [] }
}
