import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import {
  findHooks,
  type Hook,
  type HookFolders,
  hookLocations,
  hookScripts,
  readAgentHooks,
} from '@cadre/gate'
import { moduleFiles } from '@cadre/home'
import { describeServer } from '@cadre/mcp'
import { policyHooks, projectOf, type RunParts, userPaths } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import type { WorkerFlags } from './worker.ts'

/**
 * Everything that must be the same on all workers of a place, with the words for it. A change in one of them does not change the digest of
 * another, except that a team changes the agents.
 */
export const digestParts = [
  ['agents', 'agents'],
  ['policy', 'policy'],
  ['hooks', 'hooks'],
  ['hookScripts', 'scripts that hooks run'],
  ['tools', 'tools'],
  ['toolCode', 'code of custom tools'],
  ['servers', 'MCP servers'],
  ['limits', 'limits in config.yaml'],
  ['model', 'default model (--model)'],
  ['allow', 'allowed tools (--allow)'],
  ['team', 'team (--team)'],
] as const

/** Digests, from which nothing can be read. Workers of older versions publish fewer. */
export type PartsDigest = { readonly [part in (typeof digestParts)[number][0]]?: string }

export function partsDigest(
  io: Io,
  parts: RunParts,
  workspace: string,
  flags: Pick<WorkerFlags, 'model' | 'allow' | 'team'> = {},
): Required<PartsDigest> {
  const { home, policy, agents, tools, config, servers, limits } = parts
  const { home: userHome, allowlist } = userPaths(io.env)
  const project = projectOf(workspace)
  const folders = { project, userHome, home: home.path }
  const places = { project, userHome, policyFolder: policyHooks }
  const all = agents.list()
  const definitions = all.map(({ source: _, ...definition }) => JSON.stringify(definition)).toSorted()
  const hooks = [
    ...findHooks({ ...places, trusted: () => true, ownHome: home.path }).hooks,
    ...all.flatMap((agent) => readAgentHooks(agent).hooks),
  ]
  const { semantic } = config.search ?? {}
  const modules = [...(config.tools ?? []), ...(semantic?.module === undefined ? [] : [semantic.module])]
  return {
    agents: digest(definitions),
    policy: digest([
      ...policy.files.map(({ level, path }) => `${level}\n${textOf(path)}`),
      textOf(home.at('storage', 'terminal-cmd-allowlist.yaml')),
      textOf(allowlist),
    ]),
    hooks: digest(hookLocations(places).map(({ level, path }) => `${level}\n${textOf(path)}`)),
    hookScripts: digest(filesOf(hooks, folders)),
    tools: digest(tools.map(({ name }) => name).toSorted()),
    toolCode: digest(modules.flatMap((module) => codeOf(path.resolve(home.path, module), folders))),
    // Secrets may differ between machines, and are masked before anything is computed from them.
    servers: digest(
      servers.found.servers
        .map((server) => {
          const { name, scope, agent, tools: listed, timeout, effects, sandbox } = server
          const reach = withoutFolders(describeServer(server), folders)
          return JSON.stringify([name, scope, agent, reach, listed, timeout, sorted(effects), sandbox])
        })
        .toSorted(),
    ),
    limits: digest([
      JSON.stringify(
        sorted({
          limits,
          inConfig: config.limits,
          budget: config.budget,
          budgets: config.budgets,
          enableSubagent: config.enableSubagent,
          check: config.check,
        }),
      ),
    ]),
    model: digest([
      flags.model || io.env['CADRE_MODEL'] || config.model || '',
      JSON.stringify(sorted({ aliases: config.aliases, models: config.models })),
    ]),
    allow: digest((flags.allow ?? []).toSorted()),
    team: digest([flags.team ?? config.team ?? '']),
  }
}

/** The files that hooks run, if they are in the project, the user's home directory or the home. Each has its content. */
function filesOf(hooks: readonly Hook[], folders: HookFolders): string[] {
  const files = hooks.flatMap((hook) => hookScripts(hook, folders))
  const lines = files.map(
    ({ path: file, sha256 = 'missing' }) => `${withoutFolders(file, folders)}\n${sha256}`,
  )
  return [...new Set(lines)].toSorted()
}

function codeOf(module: string, folders: HookFolders): string[] {
  const files = moduleFiles(module)
  // Too much, or unreadable: then the names are all that can be compared.
  if (files === undefined) return [withoutFolders(module, folders)]
  return files
    .filter(({ sha256 }) => sha256 !== undefined)
    .map(({ path: file, sha256 }) => `${withoutFolders(file, folders)}\n${sha256}`)
    .toSorted()
}

/** The folders have other names on other machines. */
function withoutFolders(text: string, { project, userHome, home }: HookFolders): string {
  const named: readonly (readonly [string, string])[] = [
    [home, '<home>'],
    [project, '<project>'],
    [userHome, '<user>'],
  ]
  // A folder inside another one is longer.
  return named
    .filter(([folder]) => path.dirname(folder) !== folder)
    .toSorted(([a], [b]) => b.length - a.length)
    .reduce((shown, [folder, placeholder]) => shown.replaceAll(folder, placeholder), text)
}

/** The order of keys in a file says nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, one]) => [key, sorted(one)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // A missing file is a state like any other.
    return ''
  }
}

function digest(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
}
