import { type AgentRegistry, createAgents } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'
import type { Diagnostic } from '@cadre/disk'
import { createAgentHooks, findHooks, type Hook, type HookFile, readAgentHooks } from '@cadre/gate'
import type { Home, Policy } from '@cadre/home'
import {
  agentPaths,
  findAvailableAgents,
  homeOf,
  loadPolicyFor,
  policyHooks,
  type TrustedFolder,
  trustFolder,
  userPaths,
} from '@cadre/runtime'
import type { Io } from '../../io.ts'

export interface AvailableHooks {
  readonly home: Home
  readonly project: string
  readonly userHome: string
  readonly folder: TrustedFolder
  readonly policy: Policy
  readonly registry: AgentRegistry
  /** From files, and from the agents that can be used here. */
  readonly hooks: readonly Hook[]
  readonly files: readonly HookFile[]
  readonly diagnostics: readonly Diagnostic[]
}

export interface HooksFlags {
  readonly home?: string
  readonly trust?: boolean
}

/** Returns the hooks of a run in this folder, and those that would not run, with the reason. Runs nothing. */
export async function findAvailableHooks(io: Io, flags: HooksFlags): Promise<AvailableHooks> {
  const home = homeOf(io, flags.home)
  const places = agentPaths(io, home, io.cwd)
  const project = places.project ?? io.cwd
  const userHome = userPaths(io.env).home
  const { customAgents } = await loadPolicyFor(io, home, false)
  // As for a run: a folder is trusted as a whole or not at all.
  const folder = await trustFolder(io, {
    home,
    project,
    agents: customAgents ? createAgents(places).list() : [],
    everything: flags.trust,
  })
  const { registry, refusal } = await findAvailableAgents(io, flags)
  const ownHome = folder.homeTrusted ? home.path : undefined
  const found = findHooks({ project, userHome, policyFolder: policyHooks, trusted: folder.trusts, ownHome })
  const { agents } = registry.loaded()
  const hooksOf = createAgentHooks({ project, trusted: folder.trusts, agents: registry, ownHome })
  return {
    home,
    project,
    userHome,
    folder,
    policy: await loadPolicyFor(io, home, folder.homeTrusted),
    registry,
    hooks: [...agents.flatMap((agent) => withIdleReason(refusal(agent), hooksOf(agent))), ...found.hooks],
    files: found.files,
    diagnostics: [...found.diagnostics, ...agents.flatMap(diagnosticsOf)],
  }
}

function withIdleReason(refusal: string | undefined, hooks: readonly Hook[]): readonly Hook[] {
  return refusal === undefined ? hooks : hooks.map((hook) => ({ ...hook, idle: refusal }))
}

function diagnosticsOf(agent: AgentDefinition): readonly Diagnostic[] {
  return readAgentHooks(agent).diagnostics
}

/** Describes a hook in one line. */
export function describeHookAction({ action }: Hook): string {
  if (action.kind === 'http') return `POST ${new URL(action.url).origin}${new URL(action.url).pathname}`
  return [action.command, ...(action.args ?? [])].join(' ')
}
