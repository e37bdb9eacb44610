import path from 'node:path'
import type { Notice, Tool } from '@cadre/core'
import { type Diagnostic, showDiagnostic } from '@cadre/disk'
import { openSecrets } from '@cadre/home'
import { openPins, openServers, type ServerConfig } from '@cadre/mcp'
import type { Telemetry } from '@cadre/telemetry'
import type { Environment } from './environment.ts'
import type { ServersOfFolder } from './find-servers.ts'
import type { ElicitFromPerson } from './person-port.ts'
import { type StartServersOptions, startServers } from './start-servers.ts'
import { userPlaces } from './user-places.ts'

export interface LoadServersRequest extends Omit<StartServersOptions, 'brought'> {
  readonly found: ServersOfFolder
  /** False: starts nothing, and has no tools of servers that were never used. */
  readonly starts: boolean
  readonly elicit?: ElicitFromPerson | undefined
  readonly telemetry?: Pick<Telemetry, 'traceparent'> | undefined
}

/** The MCP servers of a run. */
export interface LoadedServers {
  /** All servers that the run can use. */
  readonly configs: readonly ServerConfig[]
  readonly tools: readonly Tool[]
  readonly notices: readonly Notice[]
  readonly diagnostics: readonly Diagnostic[]
  /** Ends all servers that the run has started. */
  close(): Promise<void>
}

/** Without servers, loads nothing and starts nothing. */
export async function loadServers(request: LoadServersRequest): Promise<LoadedServers> {
  const { io, found, starts, elicit, telemetry, tell } = request
  const { servers, brought, diagnostics } = found
  const problems = diagnostics.map((problem) => ({ code: 'mcp', message: showDiagnostic(problem) }))
  if (servers.length === 0)
    return { configs: [], tools: [], notices: problems, diagnostics, close: async () => {} }
  const starting = startServers({ ...request, brought })
  const { secrets, pins } = serverStores(io)
  const opened = await openServers({
    servers,
    pins,
    secrets,
    values: { env: io.env, workspace: request.workspace, userHome: userPlaces(io.env).home },
    startOf: starting.startOf,
    elicitOf:
      elicit &&
      (({ name }) =>
        (asked, signal) =>
          elicit({ ...asked, server: name }, signal)),
    starts,
    tell,
    traceparentOf: telemetry && (({ session, call }) => telemetry.traceparent(session, call)),
  })
  return {
    configs: servers,
    tools: opened.tools,
    notices: [...problems, ...opened.notices],
    diagnostics,
    async close() {
      await opened.close()
      starting.report()
    },
  }
}

/** The approved tools of servers, and their secrets, of this user. */
export function serverStores({ env }: Pick<Environment, 'env'>) {
  const { servers } = userPlaces(env)
  return {
    pins: openPins(path.join(servers, 'tools')),
    secrets: openSecrets({ env, folder: path.join(servers, 'secrets') }),
  }
}
