import path from 'node:path'
import type { AgentDefinition } from '@cadre/core'
import { type Diagnostic, isInside, realPathOf, statsAt } from '@cadre/disk'
import type { FolderServer } from '@cadre/gate'
import type { ConfiguredServers } from '@cadre/home'
import { describeServer, identityOf, readServers, type ServerConfig } from '@cadre/mcp'
import type { Environment } from './environment.ts'
import { userPaths } from './user-paths.ts'

export interface ServersRequest {
  readonly project: string
  readonly workspace: string
  /** The home, if it is the user's own. Its agent files are the user's. */
  readonly ownHome?: string | undefined
  readonly agents: readonly AgentDefinition[]
  /** `mcp.servers` of the configuration. */
  readonly configured?: readonly ConfiguredServers[] | undefined
  /** Servers of the program that runs Cadre. */
  readonly client?: readonly ServerConfig[] | undefined
  /** False: only servers of the configuration, the agents and the client. */
  readonly discover?: boolean | undefined
  /** False: not those in files of VS Code, because VS Code offers their tools. */
  readonly editorFiles?: boolean | undefined
}

export interface FolderServers {
  readonly servers: readonly ServerConfig[]
  /** Those that belong to the folder, by identity. They need trust, and run in the sandbox. */
  readonly folderServers: ReadonlyMap<string, FolderServer>
  readonly diagnostics: readonly Diagnostic[]
}

/** Finds the MCP servers of a run. Starts nothing. */
export function findServers(io: Environment, request: ServersRequest): FolderServers {
  const { project, configured = [], ownHome } = request
  const { home: userHome } = userPaths(io.env)
  const { servers, diagnostics } = readServers({
    project,
    userHome,
    editor: editorFolder(io.env, userHome),
    configured: configured.map(({ file, of, servers: entries }) => ({
      file,
      servers: entries,
      scope: of === 'user' || ownHome !== undefined ? ('user' as const) : ('project' as const),
    })),
    client: request.client,
    agents: request.agents,
    discover: request.discover,
    editorFiles: request.editorFiles,
  })
  const folderServers = servers.flatMap((server) => {
    const found = folderServer(server, request, userHome)
    return found === undefined ? [] : [[identityOf(server), found] as const]
  })
  return { servers, folderServers: new Map(folderServers), diagnostics }
}

/** The folder of the user's settings in VS Code. */
function editorFolder(env: Environment['env'], userHome: string): string {
  if (process.platform === 'win32')
    return path.join(env['APPDATA'] || path.join(userHome, 'AppData', 'Roaming'), 'Code', 'User')
  const folder =
    process.platform === 'darwin'
      ? path.join(userHome, 'Library', 'Application Support')
      : env['XDG_CONFIG_HOME'] || path.join(userHome, '.config')
  return path.join(folder, 'Code', 'User')
}

/** Undefined if neither the configuration nor the program of the server is part of the folder. */
function folderServer(
  server: ServerConfig,
  { project, workspace, ownHome }: ServersRequest,
  userHome: string,
): FolderServer | undefined {
  const { name, scope, file, agent, reach } = server
  const isConfiguredHere =
    scope === 'project' ||
    (scope === 'agent' && isInside(project, file) && !(ownHome !== undefined && isInside(ownHome, file)))
  const words = reach.kind === 'program' ? [reach.command, ...reach.args] : []
  const base = isConfiguredHere ? workspace : userHome
  const cwd = reach.kind === 'program' && reach.cwd !== undefined ? located(reach.cwd, workspace) : base
  const isHere = () => {
    const folders = [project, workspace]
      .map(realPathOf)
      .filter((folder) => !isInside(folder, realPathOf(userHome)))
    const isWithin = (place: string) => folders.some((folder) => isInside(folder, realPathOf(place)))
    return (
      (reach.kind === 'program' && reach.cwd !== undefined && isWithin(cwd)) ||
      codeWords(words).some(({ word, runsFolder }) => {
        const place = path.resolve(cwd, expanded(word, workspace))
        if (!isWithin(place)) return false
        const stats = statsAt(place)
        return stats?.isFile() === true || (runsFolder && stats?.isDirectory() === true)
      })
    )
  }
  if (!isConfiguredHere && !isHere()) return undefined
  return {
    name,
    file,
    agent,
    shown: describeServer(server),
    content: JSON.stringify([name, reach]),
    words: words.map((word) => expanded(word, workspace)),
    cwd,
  }
}

/** Programs that run the code of a folder which an option names, and programs that run it if it is their first argument. */
const launchers = /^(?:npm|pnpm|yarn|bun|uv|poetry|pdm|make|gmake|just|cargo|deno)$/
const folderOptions = /^(?:--prefix|--dir|--cwd|--directory|--project|--chdir|-C)$/
const interpreters = /^(?:node|nodejs|bun|deno|python[\d.]*|tsx|ts-node)$/

/** The words that can name code. `runsFolder`: also if it is a folder. A folder is otherwise data, as for a server of files. */
function codeWords(words: readonly string[]): { readonly word: string; readonly runsFolder: boolean }[] {
  const program = path.basename(words[0] ?? '')
  const isLauncher = launchers.test(program)
  const firstArgument = interpreters.test(program)
    ? words.findIndex((word, at) => at > 0 && !word.startsWith('-'))
    : -1
  return words.flatMap((word, at) => {
    const runsFolder = at === firstArgument || (isLauncher && folderOptions.test(words[at - 1] ?? ''))
    const [, option = '', value] = /^(-[^=]*)=(.*)$/s.exec(word) ?? []
    const ofOption =
      value === undefined ? [] : [{ word: value, runsFolder: isLauncher && folderOptions.test(option) }]
    return [{ word, runsFolder }, ...ofOption]
  })
}

function located(folder: string, workspace: string): string {
  return path.resolve(workspace, expanded(folder, workspace))
}

/** The references that lead into the workspace. */
function expanded(text: string, workspace: string): string {
  return text.replaceAll(/\$\{(?:workspaceFolder|workspaceRoot|cwd|PWD)\}|\$PWD\b/g, () => workspace)
}
