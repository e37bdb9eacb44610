import path from 'node:path'
import { isInside, realPathOf } from '@cadre/disk'
import {
  type FolderServer,
  type Guard,
  protectPathsFromServer,
  sandboxServer,
  serverItems,
} from '@cadre/gate'
import type { Home } from '@cadre/home'
import { identityOf, type ProgramStart, type ServerConfig, type ServersOptions } from '@cadre/mcp'
import type { Environment } from './environment.ts'
import { userPaths } from './user-paths.ts'

export interface StartServersOptions {
  readonly io: Environment
  readonly home: Home
  readonly project: string
  readonly workspace: string
  readonly guard: Pick<Guard, 'places' | 'sandbox' | 'unreadableIn' | 'unwritableIn'>
  /** Whether programs in the sandbox may use the network. */
  readonly network: boolean
  readonly folderServers: ReadonlyMap<string, FolderServer>
  readonly tell: (message: string) => void
}

export interface ServerStarts {
  readonly startOf: NonNullable<ServersOptions['startOf']>
  /** Tells the user which protected files the servers created. Call it when they have ended. */
  report(): void
}

/**
 * Decides how the programs of MCP servers start. A server that belongs to the folder runs code that agents can change, so it runs in the
 * sandbox of commands. Without a sandbox, it does not start again once a file has changed that its command line names. The user's other
 * servers start outside the workspace, and cannot change protected files where there is a sandbox.
 */
export function startServers(options: StartServersOptions): ServerStarts {
  const { io, home, project, workspace, guard, network, folderServers, tell } = options
  const { home: userHome } = userPaths(io.env)
  const known = new Map<string, string>()
  for (const [id, server] of folderServers) known.set(id, stateOf(server, project))
  const inspectors = new Set<() => readonly string[]>()
  const warned = new Set<string>()

  async function launch(server: ServerConfig, start: ProgramStart): Promise<ProgramStart> {
    const id = identityOf(server)
    const own = folderServers.get(id)
    const sandbox = await guard.sandbox
    const wantsSandbox = server.sandbox ?? own !== undefined
    if (wantsSandbox && sandbox.kind === 'bubblewrap') {
      const { unreadableIn, unwritableIn, places } = guard
      // A home that does not exist cannot be mounted read-only: the server could create one.
      home.folder()
      const enclosed = await sandboxServer(start, {
        ...{ sandbox, places, workspace, userHome, network, unreadableIn, unwritableIn },
        home: home.path,
      })
      inspectors.add(enclosed.created)
      return enclosed
    }
    if (server.sandbox === true && sandbox.kind === 'none')
      throw new Error(
        `the server's configuration has "sandbox: true", but there is no sandbox: ${sandbox.reason}. Install bubblewrap, or remove the key`,
      )
    const { envFile } = start
    if (envFile !== undefined && isInside(realPathOf(workspace), realPathOf(envFile)))
      throw new Error(
        `agents can change ${envFile}, and this file sets variables for a program outside the sandbox. Move the file out of the workspace, or write the variables to "env"`,
      )
    if (own !== undefined && server.sandbox !== false) {
      if (stateOf(own, project) !== known.get(id))
        throw new Error(
          'a file that the server runs has changed since this run started, and the server has no sandbox. Inspect the change, then start a new run',
        )
      if (!warned.has(id))
        tell(
          `The MCP server ${server.name} runs with your permissions, because there is no sandbox (${sandbox.kind === 'none' ? sandbox.reason : 'the sandbox is not used'}). Cadre cannot control what it does.`,
        )
      warned.add(id)
      return start
    }
    if (sandbox.kind === 'none' || server.sandbox === false) return start
    return protectPathsFromServer(start, { sandbox, places: guard.places, workspace })
  }

  return {
    startOf: (server) => {
      const isOfFolder = folderServers.has(identityOf(server))
      return {
        // The sandbox has only the workspace.
        cwd: isOfFolder || server.sandbox === true ? workspace : userHome,
        ...(!isOfFolder && { env: { ...io.env, PATH: pathOutside(io.env['PATH'], [project, workspace]) } }),
        launch: (start) => launch(server, start),
      }
    },
    report() {
      const created = [...new Set([...inspectors].flatMap((inspect) => inspect()))]
      if (created.length > 0)
        tell(
          `While MCP servers were running, files appeared that other programs may run: ${created.join(', ')}. Inspect them.`,
        )
    },
  }
}

/** A text that differs when a file has changed that the server is known to run. */
function stateOf(server: FolderServer, project: string): string {
  return serverItems([server], project)
    .map(({ path: file, sha256 }) => `${file} ${sha256}`)
    .join('\n')
}

/** The folders of PATH that agents cannot write to. */
function pathOutside(searched: string | undefined, folders: readonly string[]): string {
  const real = folders.map(realPathOf)
  return (searched ?? '')
    .split(path.delimiter)
    .filter((entry) => path.isAbsolute(entry) && !real.some((folder) => isInside(folder, realPathOf(entry))))
    .join(path.delimiter)
}
