import { realpathSync } from 'node:fs'
import type { AgentDefinition } from '@cadre/core'
import { agentHooksItem, findHooks } from '@cadre/gate'
import { createTrust, type TrustItem } from '@cadre/home'
import { userPaths } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import type { TeamFileStatus } from './place-team-files.ts'

export interface WrittenTeam {
  readonly project: string
  readonly files: readonly TeamFileStatus[]
  /** Files that also contain other hooks. */
  readonly mixed: readonly string[]
  /** The current agents in the project. */
  readonly agents: readonly AgentDefinition[]
}

/**
 * Trusts hooks that were just written at the user's request, if every script they name is part of the team. Everything else
 * in the folder, kept files, and files with other hooks stay untrusted.
 */
export function trustInitHooks(io: Io, { project, files, mixed, agents }: WrittenTeam): void {
  const { trust, home: userHome } = userPaths(io.env)
  // An existing file with exactly the same content counts as written.
  const own = new Set(
    files
      .filter(({ status }) => status === 'created' || status === 'replaced' || status === 'unchanged')
      .filter(({ path }) => !mixed.includes(path))
      .flatMap(({ path }) => [path, realpathSync(path)]),
  )
  const headers = agents
    .filter(({ source }) => source !== undefined && own.has(source.path))
    .flatMap((agent) => agentHooksItem(agent, project) ?? [])
  const items = [...hooksOf(project, userHome, own), ...headers]
  if (items.length > 0) createTrust({ file: trust }).add(items)
}

function hooksOf(project: string, userHome: string, own: ReadonlySet<string>): TrustItem[] {
  const found = findHooks({ project, userHome, trusted: () => false })
  return found.files
    .filter(({ path, level }) => level === 'project' && own.has(path))
    .filter(({ path }) =>
      found.hooks
        .filter((hook) => hook.path === path)
        .every(({ scripts = [] }) =>
          scripts.every((script) => script.sha256 === undefined || own.has(script.path)),
        ),
    )
    .map(({ path, sha256 }) => ({ path, sha256 }))
}
