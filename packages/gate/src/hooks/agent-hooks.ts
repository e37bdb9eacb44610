import { createHash } from 'node:crypto'
import type { AgentDefinition, Agents, Json } from '@cadre/core'
import { isInside, type Located } from '@cadre/disk'
import type { TrustItem } from '@cadre/home'
import { fingerprintHooks } from './fingerprint-hooks.ts'
import type { Hook } from './hook.ts'
import { projectFilesOf } from './project-files-of.ts'
import { type ParsedHooks, readHooks } from './read-hooks.ts'
import { scriptsOf } from './scripts-of.ts'

const none: ParsedHooks = { hooks: [], diagnostics: [], entries: 0 }
const known = new WeakMap<AgentDefinition, ParsedHooks>()

/** Reads the hooks in an agent's own file, once per definition. */
export function readAgentHooks(agent: AgentDefinition): ParsedHooks {
  if (agent.hooks === undefined || agent.hooks === null) return none
  const made = known.get(agent)
  if (made !== undefined) return made
  const { source } = agent
  const read = readHooks(locate(agent.hooks, source?.line ?? 1), {
    path: source?.path ?? agent.name,
    level: 'agent',
    dialect: source?.dialect === 'claude' ? 'claude' : 'shared',
  })
  known.set(agent, read)
  return read
}

export interface AgentHooksTrust {
  readonly project: string
  readonly trusted: (item: TrustItem) => boolean
  /** The current definitions of the agents. */
  readonly agents?: Pick<Agents, 'get'> | undefined
  /** A home of the user's own: its agents are not part of the project. */
  readonly ownHome?: string | undefined
  /** For untrusted hooks: `idle` skips them, `barred` denies the calls they would judge. */
  readonly untrustedHooks?: 'idle' | 'barred' | undefined
}

/**
 * The trust item for an agent's hooks, or undefined if it has none. Hooks in the user's own files need no trust,
 * unless they run project files.
 */
export function agentHooksItem(
  agent: AgentDefinition,
  project: string,
  ownHome?: string | undefined,
): TrustItem | undefined {
  const path = agent.source?.path
  return path === undefined || isUsers(agent, path, project, ownHome) ? undefined : itemOf(agent, project)
}

function isUsers(
  agent: AgentDefinition,
  file: string,
  project: string,
  ownHome: string | undefined,
): boolean {
  if (isInside(project, file) && (ownHome === undefined || !isInside(ownHome, file))) return false
  return readAgentHooks(agent).hooks.every((hook) => projectFilesOf(hook, project, ownHome).length === 0)
}

/**
 * Returns the hooks of agents, with the reason for each that does not run. An agent comes from a file, or from a session
 * record, which can contain anything: hooks need trust unless they are in the user's own files. Checked once per
 * definition; a changed file is a new definition.
 */
export function createAgentHooks({
  project,
  trusted,
  agents,
  ownHome,
  untrustedHooks = 'idle',
}: AgentHooksTrust): (agent: AgentDefinition) => readonly Hook[] {
  const judged = new WeakMap<AgentDefinition, readonly Hook[]>()
  return (agent) => {
    if (readAgentHooks(agent).hooks.length === 0) return []
    const made = judged.get(agent)
    if (made !== undefined) return made
    const result = judge(agent)
    judged.set(agent, result)
    return result
  }

  function judge(agent: AgentDefinition): readonly Hook[] {
    const hooks = withScripts(agent, project)
    const item = itemOf(agent, project)
    if (item === undefined || isOwn(agent) || trusted(item)) return hooks
    return hooks.map((hook): Hook => {
      if (untrustedHooks === 'idle') return { ...hook, idle: hook.idle ?? 'this folder is not trusted' }
      return {
        ...hook,
        denyReason: `${agent.name}'s hooks changed after you trusted them for this run, so Cadre does not run them`,
      }
    })
  }

  /** True if the project cannot have created this file. */
  function isOwn(agent: AgentDefinition): boolean {
    const known = agents?.get(agent.name)
    if (known === undefined || known.source?.path !== agent.source?.path) return false
    const path = known.source?.path
    const isUsersOwn = path === undefined || isUsers(agent, path, project, ownHome)
    return isUsersOwn && digestOf(known.hooks) === digestOf(agent.hooks)
  }
}

function itemOf(agent: AgentDefinition, project: string): TrustItem | undefined {
  const hooks = withScripts(agent, project)
  if (hooks.length === 0) return undefined
  const file = agent.source?.path
  const isElsewhere = file !== undefined && !isInside(project, file)
  // If the file is outside the project, the files it runs differ per project.
  const scripts = isElsewhere ? hooks.flatMap((hook) => projectFilesOf(hook, project)) : undefined
  const sha256 = fingerprintHooks(digestOf(agent.hooks), scripts ? [{ scripts }] : hooks, project)
  return { path: `${isElsewhere ? `${project}#` : ''}${file ?? agent.name}#hooks`, sha256 }
}

function withScripts(agent: AgentDefinition, project: string): readonly Hook[] {
  return readAgentHooks(agent).hooks.map((hook) => ({ ...hook, scripts: scriptsOf(hook, project) }))
}

function digestOf(value: Json | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')
}

/** The agent definition has values without lines, so every hook gets the line where the agent starts. */
function locate(value: Json, line: number, depth = 0): Located {
  if (depth > 50 || typeof value !== 'object' || value === null) return { line, value }
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => locate(item, line, depth + 1))
    return { line, value, items }
  }
  const fields = new Map(
    Object.entries(value as { readonly [key: string]: Json }).map(([key, field]) => [
      key,
      locate(field, line, depth + 1),
    ]),
  )
  return { line, value, fields }
}
