/**
 * A run's MCP servers.
 *
 * 1. Agents see only definitions that were approved. They are read from the stored approvals, so that no server starts before its first call.
 * 2. A server without approved tools is connected once when the run starts. A person wrote or trusted its configuration, so Cadre approves
 *    its first list unchanged, and tells the person.
 */
import { messageOf, type Notice, type Tool, type ToolContext } from '@cadre/core'
import type { ServerConfig } from './config/server-config.ts'
import { type LinkOptions, ServerLink } from './server-link.ts'
import { createServerTool } from './tools/create-server-tool.ts'

export interface ServersOptions extends LinkOptions {
  readonly servers: readonly ServerConfig[]
  /** False if no server must start. Tools of servers that were never used are then missing. */
  readonly starts: boolean
  /** The maximum duration of a call in milliseconds, regardless of progress. Default: half an hour. */
  readonly totalLimit?: number | undefined
  /** A call's trace context. */
  readonly traceparentOf?: ((context: ToolContext) => string | undefined) | undefined
}

export interface Servers {
  readonly tools: readonly Tool[]
  readonly notices: readonly Notice[]
  /** Ends all connections, and the processes that Cadre started for them. */
  close(): Promise<void>
}

/** Opens a run's servers. Never rejects: for a server that cannot be used, it adds a notice and no tools. */
export async function openServers(options: ServersOptions): Promise<Servers> {
  const notices: Notice[] = []
  const note = (message: string) => void notices.push({ code: 'mcp', message })
  const links = options.servers.flatMap((server) => {
    try {
      return [new ServerLink(server, options)]
    } catch (error) {
      note(`Agents cannot use the MCP server ${server.name}: ${messageOf(error)}`)
      return []
    }
  })
  const first = options.starts ? links.filter(({ hasApprovedTools }) => !hasApprovedTools) : []
  const texts = await Promise.all(
    first.map((link) =>
      link
        .approveFirstList()
        .catch((error) => `Agents cannot use the MCP server ${link.server.name}: ${messageOf(error)}.`),
    ),
  )
  for (const text of texts) note(text)
  const taken = new Set<string>()
  const tools = links.flatMap((link) =>
    link.tools.flatMap((definition) => {
      const tool = createServerTool(definition, { ...options, link, taken })
      if (typeof tool !== 'string') return [tool]
      note(tool)
      return []
    }),
  )
  return { tools, notices, close: async () => void (await Promise.all(links.map((link) => link.close()))) }
}
