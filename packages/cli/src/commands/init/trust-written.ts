import { realpathSync } from 'node:fs'
import type { AgentDefinition } from '@cadre/core'
import { agentHooksItem, findHooks } from '@cadre/gate'
import { createTrust, type TrustItem } from '@cadre/home'
import { userPlaces } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import type { TeamFileStatus } from './place-team-files.ts'

export interface WrittenTeam {
  readonly project: string
  readonly files: readonly TeamFileStatus[]
  /** Files in which there are hooks of others, too. */
  readonly mixed: readonly string[]
  /** The agents of the project, as they are now. */
  readonly agents: readonly AgentDefinition[]
}

/**
 * Hooks that were written just now, on a person's command, need no further word, where every script they name is of the team as
 * well. What else lies in the folder, a file that was kept, and one with hooks of others in it are as little trusted as before.
 */
export function trustWritten(io: Io, { project, files, mixed, agents }: WrittenTeam): void {
  const { trust, home: userHome } = userPlaces(io.env)
  // One that was there and is exactly what would be written is what the person asked for.
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
