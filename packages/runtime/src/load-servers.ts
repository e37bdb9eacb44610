import path from 'node:path'
import type { Notice, Tool } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import { openSecrets, type Secrets } from '@cadre/home'
import {
  type ApprovedToolStore,
  type Connection,
  type ConnectOptions,
  connectServer,
  openApprovedTools,
  openServers,
  resolveReferences,
  type ServerConfig,
  storedAuth,
} from '@cadre/mcp'
import type { Telemetry } from '@cadre/telemetry'
import type { Environment } from './environment.ts'
import type { FolderServers } from './find-servers.ts'
import type { ElicitFromPerson } from './person-port.ts'
import { type StartServersOptions, startServers } from './start-servers.ts'
import { userPaths } from './user-paths.ts'

export interface LoadServersRequest extends Omit<StartServersOptions, 'folderServers'> {
  readonly found: FolderServers
  /** Why none of the servers can be used: the folder is not trusted, or a policy forbids them. */
  readonly blocked?: string | undefined
  /** False: starts nothing, and has no tools of servers that were never used. */
  readonly starts: boolean
  readonly elicit: ElicitFromPerson
  readonly telemetry?: Pick<Telemetry, 'traceparent'> | undefined
}

/** The MCP servers of a run. */
export interface LoadedServers {
  /** All servers that are configured. */
  readonly found: FolderServers
  /** Why the run can use none of them. */
  readonly blocked?: string | undefined
  readonly tools: readonly Tool[]
  readonly notices: readonly Notice[]
  /** Connects to a server as a run does, and resolves its references. The caller closes the connection. */
  connect(server: ServerConfig, options?: Pick<ConnectOptions, 'signal'>): Promise<Connection>
  /** Ends all servers that the run has started. */
  close(): Promise<void>
}

/** Without servers, loads nothing and starts nothing. */
export async function loadServers(request: LoadServersRequest): Promise<LoadedServers> {
  const { io, found, starts, elicit, telemetry, tell } = request
  const { servers, folderServers, diagnostics } = found
  const notices = diagnostics.map((problem) => ({ code: 'mcp', message: showDiagnostic(problem) }))
  const { blocked } = request
  if (servers.length === 0 || blocked !== undefined) {
    const connect = async () => {
      throw new Error(blocked ?? 'there is no such server')
    }
    return { found, blocked, tools: [], notices, connect, close: async () => {} }
  }
  const starting = startServers({ ...request, folderServers })
  const { secrets, approvedTools } = serverStores(io)
  const values = { env: io.env, workspace: request.workspace, userHome: userPaths(io.env).home }
  const opened = await openServers({
    servers,
    approvedTools,
    secrets,
    values,
    startOf: starting.startOf,
    elicitOf:
      ({ name }) =>
      (asked, signal) =>
        elicit({ ...asked, server: name }, signal),
    starts,
    tell,
    traceparentOf: telemetry && (({ session, call }) => telemetry.traceparent(session, call)),
  })
  return {
    found,
    tools: opened.tools,
    notices: [...notices, ...opened.notices],
    async connect(server, options) {
      const reach = await resolveReferences(server, values, secrets)
      const auth = reach.kind === 'address' ? storedAuth(server, reach, secrets) : undefined
      return connectServer(reach, { ...values, ...starting.startOf(server), ...options, auth })
    },
    async close() {
      await opened.close()
      starting.report()
    },
  }
}

/** The approved tools of servers, and their secrets, of this user. */
export function serverStores({ env }: Pick<Environment, 'env'>): {
  readonly approvedTools: ApprovedToolStore
  readonly secrets: Secrets
} {
  const { servers } = userPaths(env)
  return {
    approvedTools: openApprovedTools(path.join(servers, 'tools')),
    secrets: openSecrets({ env, folder: path.join(servers, 'secrets') }),
  }
}
