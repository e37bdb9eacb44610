import path from 'node:path'
import type { AgentDefinition } from '@cadre/core'
import { lookAtProjectPolicy } from '@cadre/files'
import { allowlistItem } from './allowlist-item.ts'
import { configItems } from './config-items.ts'
import type { FolderContents, FolderItem } from './folder-item.ts'
import { hookItems } from './hook-items.ts'
import { serverItems } from './server-items.ts'

export interface FolderRequest {
  readonly project: string
  /** The home's path; its configuration, policy and allowlist may have come with the project. */
  readonly home: string
  /** The agents that files define. */
  readonly agents: readonly AgentDefinition[]
  /** The user's own folder: what is in it needs no trust. */
  readonly userHome: string
}

/** Everything in a folder that can run a program or permit more than the default, each with its content. Starts nothing. */
export async function whatFolderBrings(request: FolderRequest): Promise<FolderContents> {
  const { project, home, agents } = request
  const hooks = hookItems(request)
  const servers = serverItems(project, agents)
  const allowlist = allowlistItem(home)
  const items = [
    ...hooks.items,
    ...(await configItems(home, project)),
    ...servers.items,
    ...(await policyItems(home)),
    ...allowlist.items,
  ]
  const seen = new Set<string>()
  return {
    items: items.filter(({ path }) => (seen.has(path) ? false : seen.add(path))),
    unusable: [...hooks.unusable, ...servers.unusable, ...allowlist.unusable],
  }
}

async function policyItems(home: string): Promise<FolderItem[]> {
  const file = path.join(home, 'storage', 'policy.yaml')
  const found = await lookAtProjectPolicy(file)
  if (found === undefined) return []
  const keys = found.keys.map(({ key, value }) => `${key}: ${value}`)
  const [{ line } = { line: 1 }] = found.keys
  const what = `permits more than the default (${keys.join(', ')})`
  return [{ path: found.path, sha256: found.sha256, file, line, what }]
}
