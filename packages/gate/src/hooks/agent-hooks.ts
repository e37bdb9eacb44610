import { createHash } from 'node:crypto'
import type { AgentDefinition, Agents, Json } from '@cadre/core'
import { isInside, type Located } from '@cadre/disk'
import type { TrustItem } from '@cadre/home'
import { fingerprintHooks } from './fingerprint-hooks.ts'
import type { Hook } from './hook.ts'
import { projectFilesOf } from './project-files-of.ts'
import { type ReadHooks, readHooks } from './read-hooks.ts'
import { scriptsOf } from './scripts-of.ts'

const none: ReadHooks = { hooks: [], diagnostics: [], entries: 0 }
const known = new WeakMap<AgentDefinition, ReadHooks>()

/** The hooks that an agent's own file brings, read once for each definition. */
export function readAgentHooks(agent: AgentDefinition): ReadHooks {
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
  /** The agents as their files have them now. */
  readonly agents?: Pick<Agents, 'get'> | undefined
  /** A home of the user's own: agents in it did not come with the project. */
  readonly ownHome?: string | undefined
  /** What becomes of hooks that nobody has agreed to: they are left out, or nothing goes past them. */
  readonly strangers?: 'idle' | 'barred' | undefined
}

/**
 * What a person agrees to for the hooks of an agent; nothing when there are none. Those of a file of the user's own need no
 * agreement, unless they run files of the project.
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
 * The hooks of agents, each with why it is not run. An agent comes from a file, or from the record of a session, which may
 * say anything: hooks that are not those of a file of the user's own have to be agreed to as they are. Judged once for each
 * definition: a changed file is another one.
 */
export function createAgentHooks({
  project,
  trusted,
  agents,
  ownHome,
  strangers = 'idle',
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
      if (strangers === 'idle') return { ...hook, idle: hook.idle ?? 'this folder is not trusted' }
      return {
        ...hook,
        barred: `the hooks of ${agent.name} changed after you trusted them for this run, so Cadre does not run them`,
      }
    })
  }

  /** Nothing that came with the project can put a file there. */
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
  // Where the file is not the project's, what it runs there is another thing in each project.
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

/** Of what an agent's file says only the values are known here: all of it stands where the agent begins. */
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
