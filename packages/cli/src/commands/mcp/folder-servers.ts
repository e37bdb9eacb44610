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
export function openServersFor(io: Io, { workspace, home, trust }: ServerFlags): Promise<RunParts> {
  return loadParts(io, { workspace, home, trust, tell: io.warn })
}

/** The server with this name. `AGENT/NAME` is a server of an agent file. Rejects with the known names if there is none. */
export function requireServer({ servers }: Pick<RunParts, 'servers'>, name: string): ServerConfig {
  const all = servers.found.servers
  const found =
    all.find((server) => server.agent === undefined && server.name === name) ??
    all.find((server) => nameOf(server) === name || server.name === name)
  if (found !== undefined) return found
  const text = JSON.stringify(name)
  const faulty = servers.found.diagnostics.find(({ message }) =>
    message.startsWith(`The MCP server ${text} `),
  )
  if (faulty !== undefined)
    throw new CadreError('configuration', `${faulty.path} has an error. ${faulty.message}`)
  const names = all.map(nameOf)
  const known = names.length === 0 ? '. No server is configured.' : `. Known servers: ${names.join(', ')}.`
  throw new CadreError('not_found', `there is no MCP server named ${text}${didYouMean(name, names) || known}`)
}

/**
 * Rejects with the reason and the remedy if no server may start in this folder: with `configuration` if the folder is not trusted, and with
 * `policy` if a policy forbids servers.
 */
export function requireUsable({ servers, trusted }: Pick<RunParts, 'servers' | 'trusted'>): void {
  if (servers.blocked === undefined) return
  if (trusted) throw new CadreError('policy', `${servers.blocked}.`)
  throw new CadreError(
    'configuration',
    `${servers.blocked}. Inspect it, then add --trust, or start "cadre run" in a terminal and answer the question.`,
  )
}

export function nameOf({ name, agent }: ServerConfig): string {
  return agent === undefined ? name : `${agent}/${name}`
}
