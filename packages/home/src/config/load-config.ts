import { existsSync } from 'node:fs'
import path from 'node:path'
import { CadreError, isObject, type Json, type JsonObject } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import { resolveModule } from '../trust/resolve-module.ts'
import type { TrustItem } from '../trust/trust.ts'
import type { Config } from './config.ts'
import type { ConfigFile } from './read-config-file.ts'

export interface ConfigRequest {
  /** The home folder. Its `config.yaml` may come from a cloned repository. */
  readonly home?: string
  /** The user's own file, `~/.config/cadre/config.yaml`. */
  readonly userConfig?: string
  /** Returns whether a person trusts the current value of a setting in the home. Default: none is trusted. */
  readonly trusted?: (item: TrustItem) => boolean | Promise<boolean>
}

/** A setting of the home that is ignored until it is trusted, because it would run a program or grant access. */
export interface NeedsTrust extends TrustItem {
  readonly key: string
  readonly value: Json
  readonly file: string
  readonly line: number
  readonly reason: string
}

/** The MCP servers of one configuration file. */
export interface ConfiguredServers {
  readonly file: string
  readonly of: 'user' | 'home'
  readonly servers: JsonObject
}

export interface LoadedConfig {
  readonly config: Config
  /** `mcp.servers` of each file, the user's first. Who wrote a server determines what it may do. */
  readonly servers: readonly ConfiguredServers[]
  readonly needsTrust: readonly NeedsTrust[]
  /** The files that exist. The last one takes precedence. */
  readonly sources: readonly string[]
}

/**
 * Reads the configuration of the user and the home. The home takes precedence, key by key within a section; lists are replaced as a whole.
 * Throws one `configuration` error with all mistakes in both files and their lines.
 */
export async function loadConfig(request: ConfigRequest): Promise<LoadedConfig> {
  const user = await readIfThere(request.userConfig)
  const home = await readIfThere(request.home && path.join(request.home, 'config.yaml'))
  const files = [user, home].filter((file) => file !== undefined)
  const faults = files.flatMap((file) => file.diagnostics)
  if (faults.length > 0) throw new CadreError('configuration', faults.map(showDiagnostic).join('\n'))
  const { usable, needsTrust } =
    home === undefined ? { usable: {}, needsTrust: [] } : await removeUntrusted(home, request.trusted)
  const config = merge(
    user === undefined ? {} : absolute(user.value, user.path),
    home === undefined ? {} : absolute(usable, home.path),
  )
  // A repository must not enable what the user has disabled.
  const off = {
    ...(user?.value['enableSubagent'] === false && { enableSubagent: false }),
    ...(discovers(user?.value) === false && { mcp: { ...(config as Config).mcp, discover: false } }),
  }
  return {
    config: { ...(config as Config), ...off },
    servers: [...serversIn(user, user?.value, 'user'), ...serversIn(home, usable, 'home')],
    needsTrust,
    sources: files.map((file) => file.path),
  }
}

function discovers(value: JsonObject | undefined): Json | undefined {
  const mcp = value?.['mcp']
  return isObject(mcp) ? mcp['discover'] : undefined
}

function serversIn(
  file: ConfigFile | undefined,
  value: JsonObject | undefined,
  of: ConfiguredServers['of'],
): ConfiguredServers[] {
  const mcp = value?.['mcp']
  const servers = isObject(mcp) ? mcp['servers'] : undefined
  return file !== undefined && isObject(servers) ? [{ file: file.path, of, servers }] : []
}

/** Most runs have no configuration, and need not load the code that reads it. */
async function readIfThere(file: string | undefined): Promise<ConfigFile | undefined> {
  if (file === undefined || !existsSync(file)) return undefined
  return (await import('./read-config-file.ts')).readConfigFile(file)
}

const guarded: { readonly [key: string]: string } = {
  openai: 'this setting decides where conversations and keys are sent, and can run a command',
  anthropic: 'this setting decides where conversations and keys are sent, and can run a command',
  copilot:
    'this setting decides which program runs as the language server and where conversations and keys are sent, and can run a command',
  acp: 'this setting decides which programs run as agents, and can let them run without a sandbox',
  tools: 'this setting runs code from the repository',
  check: 'this setting runs a program',
  web: 'this setting lets agents reach private networks',
  search:
    'this setting can run code from the repository, and decides whether file contents are sent to the model endpoint',
  engine: 'this setting sends work and conversations to a server that runs agents',
  channels: 'this setting exchanges messages with other machines',
  mcp: 'this setting starts MCP servers',
}

/** Returns the reason why a setting needs trust, or `undefined` if it does not. */
function whyGuarded(key: string, value: Json): string | undefined {
  const opens = key === 'daemon' && isObject(value) && ('host' in value || 'hosts' in value)
  return opens ? 'this setting lets other machines reach the channel server' : guarded[key]
}

/** Removes settings of a home that need trust and are not trusted. */
async function removeUntrusted(file: ConfigFile, trusted: ConfigRequest['trusted']) {
  const { createHash } = await import('node:crypto')
  const usable: Record<string, Json> = {}
  const needsTrust: NeedsTrust[] = []
  for (const [key, value] of Object.entries(file.value)) {
    const why = whyGuarded(key, value)
    if (why === undefined) {
      usable[key] = value
      continue
    }
    const sha256 = createHash('sha256').update(JSON.stringify(value)).digest('hex')
    const item: TrustItem = { path: `${file.path}#${key}`, sha256 }
    if ((await trusted?.(item)) === true) usable[key] = value
    else {
      const line = file.lineOf(key)
      const reason = `${file.path}:${line}: Cadre ignores ${key}, because this folder is not trusted and ${why}.`
      needsTrust.push({ ...item, key, value, file: file.path, line, reason })
    }
  }
  return { usable, needsTrust }
}

/** Resolves paths of modules, programs and playbooks relative to the configuration file, not to the current folder. */
function absolute(value: JsonObject, file: string): JsonObject {
  const { tools, model, search, copilot } = value
  const folder = path.dirname(file)
  const semantic = isObject(search) && isObject(search['semantic']) ? search['semantic'] : undefined
  // A package that is not installed keeps its name; loading it later reports the error.
  const module =
    typeof semantic?.['module'] === 'string'
      ? (resolveModule(semantic['module'], folder) ?? semantic['module'])
      : undefined
  const playbook =
    typeof model === 'string' && model.startsWith('scripted:') ? model.slice('scripted:'.length) : undefined
  return {
    ...value,
    ...(Array.isArray(tools) && { tools: tools.map((name) => path.resolve(folder, String(name))) }),
    ...(playbook !== undefined && { model: `scripted:${path.resolve(folder, playbook)}` }),
    ...(isObject(copilot) &&
      typeof copilot['server'] === 'string' && {
        copilot: { ...copilot, server: path.resolve(folder, copilot['server']) },
      }),
    ...(module !== undefined && { search: { semantic: { ...semantic, module } as JsonObject } }),
  }
}

function merge(weaker: JsonObject, stronger: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...weaker }
  for (const [key, value] of Object.entries(stronger)) {
    const before = merged[key]
    merged[key] = isObject(before) && isObject(value) ? merge(before, value) : value
  }
  return merged
}
