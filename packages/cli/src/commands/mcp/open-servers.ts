import { CadreError, didYouMean } from '@cadre/core'
import type { ServerConfig } from '@cadre/mcp'
import { loadParts, type RunParts } from '@cadre/runtime'
import type { Io } from '../../io.ts'

export interface ServerFlags {
  readonly workspace?: string
  readonly home?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** The servers of a folder, as a run there finds them. Starts nothing. */
export function openServersOf(io: Io, { workspace, home, trust }: ServerFlags): Promise<RunParts> {
  return loadParts(io, { workspace, home, trust, tell: io.warn })
}

/** The server with this name. `AGENT/NAME` is a server of an agent file. Rejects with the known names if there is none. */
export function requireServer({ servers }: Pick<RunParts, 'servers'>, name: string): ServerConfig {
  const all = servers.found.servers
  const found =
    all.find((server) => server.agent === undefined && server.name === name) ??
    all.find((server) => nameOf(server) === name || server.name === name)
  if (found !== undefined) return found
  const names = all.map(nameOf)
  const known = names.length === 0 ? '. No server is configured.' : `. Known servers: ${names.join(', ')}.`
  throw new CadreError(
    'not_found',
    `there is no MCP server named ${JSON.stringify(name)}${didYouMean(name, names) || known}`,
  )
}

export function nameOf({ name, agent }: ServerConfig): string {
  return agent === undefined ? name : `${agent}/${name}`
}
