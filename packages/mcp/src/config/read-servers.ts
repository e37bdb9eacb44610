import { createRequire } from 'node:module'
import path from 'node:path'
import { type AgentDefinition, isObject, type Json, type JsonObject } from '@cadre/core'
import { type Diagnostic, isInside, readInsideFolder } from '@cadre/disk'
import type * as JsonParser from 'jsonc-parser'
import { readServer } from './read-server.ts'
import type { ServerConfig, ServerScope, VariableSyntax } from './server-config.ts'

export interface ServerPaths {
  /** The project folder. Without it, no project file is read. */
  readonly project?: string | undefined
  readonly userHome: string
  /** The folder of the user's VS Code settings, if there is one. */
  readonly editor?: string | undefined
  /** `mcp.servers` from Cadre's configuration files, the user's first. `scope` is `project` if the user did not write the file. */
  readonly configured?:
    | readonly { readonly servers: JsonObject; readonly file: string; readonly scope: 'user' | 'project' }[]
    | undefined
  /** The servers that the program that runs Cadre passes, such as an editor. */
  readonly client?: readonly ServerConfig[] | undefined
  /** False if Cadre must not read other programs' files. Default: true. */
  readonly discover?: boolean | undefined
  /** False if Cadre must not read VS Code's files, because VS Code itself offers these servers' tools. Default: true. */
  readonly editorFiles?: boolean | undefined
  readonly agents?: readonly AgentDefinition[] | undefined
}

export interface FoundServers {
  readonly servers: readonly ServerConfig[]
  readonly diagnostics: readonly Diagnostic[]
}

/** A host's file. `key` contains the servers. */
interface ServerFile {
  readonly file: string
  readonly key: 'servers' | 'mcpServers'
  readonly scope: ServerScope
  readonly syntax: VariableSyntax
  /** The folder that must contain the file's real location. */
  readonly within: string
}

/**
 * Finds the MCP servers that are configured for Cadre, Copilot, Claude Code and VS Code. If two places name the same server, the first
 * of these takes precedence: the user's configuration of Cadre, the program that runs Cadre, the user's files of other programs, the
 * project. Permissions that the user gave to a server name must not apply to a repository's program. Does not start servers.
 */
export function readServers(places: ServerPaths): FoundServers {
  const diagnostics: Diagnostic[] = []
  const found = new Map<string, ServerConfig>()
  const { configured = [], client = [], agents = [], discover = true } = places
  const files = filesOf(places).filter(({ syntax }) => syntax !== 'vscode' || places.editorFiles !== false)
  const inConfiguration = (of: ServerScope) =>
    configured.flatMap(({ servers, file, scope }) =>
      scope === of ? serversOf(servers, { scope, file, syntax: 'cadre', inputs: {} }, diagnostics) : [],
    )
  const inFiles = (of: ServerScope) =>
    (discover ? files : [])
      .filter(({ scope }) => scope === of)
      .flatMap((place) => readFile(place, diagnostics).filter((server) => !isCadre(server)))
  const add = (server: ServerConfig) => {
    if (!found.has(server.name)) found.set(server.name, server)
  }
  for (const server of inConfiguration('user')) add(server)
  for (const server of client) add({ ...server, scope: 'client', effects: {} })
  for (const server of inFiles('user')) add(server)
  const own = new Map([...found.values()].reverse().map((server) => [permittedName(server), server]))
  const isFree = (server: ServerConfig) => {
    const first = own.get(permittedName(server))
    if (first !== undefined && JSON.stringify(first.reach) !== JSON.stringify(server.reach))
      diagnostics.push(
        fault(
          server.file,
          'mcp-name',
          `Cadre does not use the MCP server ${JSON.stringify(server.name)} in ${server.file}, because the server in ${first.file} has the same name and takes precedence. Rename one of them to use both.`,
        ),
      )
    return first === undefined
  }
  for (const server of [...inConfiguration('project'), ...inFiles('project')]) if (isFree(server)) add(server)
  // Even with `discover: false`, because an agent file is meant for Cadre.
  const ofAgents = agents
    .flatMap((agent) => serversOfAgent(agent, found, diagnostics))
    .filter(
      (server) => places.project === undefined || !isInside(places.project, server.file) || isFree(server),
    )
  return { servers: [...found.values(), ...ofAgents], diagnostics }
}

/** Two servers with the same key get the same permissions, because rules ignore case and tool names allow only a few characters. */
function permittedName({ name }: ServerConfig): string {
  return name.toLowerCase().replace(/[^a-z0-9_-]/g, '_')
}

function filesOf({ project, userHome, editor }: ServerPaths): readonly ServerFile[] {
  const ofProject = (name: string, key: ServerFile['key'], syntax: VariableSyntax): ServerFile[] =>
    project === undefined
      ? []
      : [{ file: path.join(project, name), key, scope: 'project', syntax, within: project }]
  return [
    ...ofProject('.vscode/mcp.json', 'servers', 'vscode'),
    ...ofProject('.mcp.json', 'mcpServers', 'claude'),
    ...ofProject('.github/mcp.json', 'mcpServers', 'copilot'),
    {
      file: path.join(userHome, '.copilot', 'mcp-config.json'),
      key: 'mcpServers',
      scope: 'user',
      syntax: 'copilot',
      within: userHome,
    },
    ...(editor === undefined
      ? []
      : [
          {
            file: path.join(editor, 'mcp.json'),
            key: 'servers' as const,
            scope: 'user' as const,
            syntax: 'vscode' as const,
            within: editor,
          },
        ]),
  ]
}

function readFile(
  { file, key, scope, syntax, within }: ServerFile,
  diagnostics: Diagnostic[],
): ServerConfig[] {
  const content = readInsideFolder(within, file)
  if (content.kind === 'none') return []
  if (content.kind === 'unusable') {
    diagnostics.push(
      fault(file, 'mcp-unreadable', `Cadre does not read the MCP servers in this file: ${content.reason}.`),
    )
    return []
  }
  const { value: parsed, line } = parseJsonc(content.text)
  if (parsed === undefined || !isObject(parsed)) {
    const message = 'This file is not valid JSON, so Cadre does not use its MCP servers. Fix this line.'
    diagnostics.push({ ...fault(file, 'mcp-syntax', message), line })
    return []
  }
  const servers = (parsed as JsonObject)[key] ?? {}
  if (!isObject(servers)) {
    diagnostics.push(fault(file, 'mcp-shape', `"${key}" must be an object with one entry per MCP server.`))
    return []
  }
  const inputs = inputsOf((parsed as JsonObject)['inputs'])
  return serversOf(servers as JsonObject, { scope, file, syntax, inputs }, diagnostics)
}

type Base = Pick<ServerConfig, 'scope' | 'file' | 'syntax' | 'inputs' | 'agent'>

function serversOf(servers: JsonObject, base: Base, diagnostics: Diagnostic[]): ServerConfig[] {
  return Object.entries(servers).flatMap(([name, value]) => {
    const read = readServer({ ...base, name }, value as Json)
    if (read.kind === 'server') return [read.server]
    if (read.kind === 'invalid')
      diagnostics.push(
        fault(base.file, 'mcp-server', `The MCP server ${JSON.stringify(name)} ${read.problem}.`),
      )
    return []
  })
}

/** An agent file contains its own servers, or names of servers that are configured elsewhere. */
function serversOfAgent(
  { name, mcpServers, source }: AgentDefinition,
  known: ReadonlyMap<string, ServerConfig>,
  diagnostics: Diagnostic[],
): ServerConfig[] {
  if (mcpServers === undefined || mcpServers === null || source === undefined) return []
  const file = source.path
  const syntax: VariableSyntax = source.dialect === 'claude' ? 'claude' : 'copilot'
  const base: Base = { scope: 'agent', file, syntax, inputs: {}, agent: name }
  const entries = Array.isArray(mcpServers) ? mcpServers : [mcpServers]
  return entries.flatMap((entry: Json) => {
    if (typeof entry === 'string') {
      if (!known.has(entry))
        diagnostics.push(
          fault(
            file,
            'mcp-unknown',
            `The agent ${name} names the MCP server ${JSON.stringify(entry)}, which is not configured.`,
          ),
        )
      return []
    }
    return isObject(entry) ? serversOf(entry as JsonObject, base, diagnostics) : []
  })
}

/**
 * Whether the server is Cadre itself, which `cadre mcp install` adds to other programs' files. It is meant only for them: Cadre does not
 * delegate to itself, and a trust question about this entry would make the agents read-only.
 */
function isCadre({ reach }: ServerConfig): boolean {
  if (reach.kind !== 'program') return false
  const words = [reach.command, ...reach.args]
  const at = words.findIndex((word) => /(?:^|[\\/])cadre(?:\.(?:js|cmd|exe))?$/i.test(word))
  return at !== -1 && at < 2 && words[at + 1] === 'mcp'
}

function inputsOf(value: Json | undefined): { readonly [id: string]: string } {
  if (!Array.isArray(value)) return {}
  return Object.fromEntries(
    value.flatMap((item: Json) => {
      const { id, description } = (isObject(item) ? item : {}) as JsonObject
      return typeof id === 'string' ? [[id, typeof description === 'string' ? description : id]] : []
    }),
  )
}

let parser: typeof JsonParser | undefined

/** If there is no value, `line` is the line of the first error. */
function parseJsonc(text: string): { readonly value?: Json; readonly line: number } {
  parser ??= createRequire(import.meta.url)('jsonc-parser') as typeof JsonParser
  const faults: JsonParser.ParseError[] = []
  try {
    const value = parser.parse(text, faults, { allowTrailingComma: true }) as Json
    const [first] = faults
    return first === undefined ? { value, line: 1 } : { line: text.slice(0, first.offset).split('\n').length }
  } catch {
    // Extremely deep nesting overflows the stack of the parser.
    return { line: 1 }
  }
}

function fault(file: string, code: string, message: string): Diagnostic {
  return { path: file, line: 1, severity: 'warning', code, message }
}
