import type { ServerConfig } from '@cadre/mcp'
import type { McpServer } from './acp-types.ts'

export type ParsedServers =
  | { readonly kind: 'servers'; readonly servers: readonly ServerConfig[] }
  | { readonly kind: 'invalid'; readonly reason: string }

const maxServers = 50

/**
 * The MCP servers that an editor passes to Cadre. The user configured them in the editor, so they do not need further trust, but the gate
 * treats every call as `outbound`. Their texts are literal, because the editor has already replaced its own variables.
 */
export function readMcpServers(given: readonly McpServer[]): ParsedServers {
  if (given.length > maxServers)
    return { kind: 'invalid', reason: `${given.length} MCP servers are too many: at most ${maxServers}` }
  const servers: ServerConfig[] = []
  for (const server of given) {
    const base = {
      name: server.name,
      scope: 'client',
      file: "the editor's settings",
      syntax: 'literal',
      tools: ['*'],
      effects: {},
      inputs: {},
    } as const
    if (!('type' in server))
      servers.push({
        ...base,
        reach: {
          kind: 'program',
          command: server.command,
          args: server.args,
          env: Object.fromEntries(server.env.map(({ name, value }) => [name, value])),
        },
      })
    else if (server.type === 'http')
      servers.push({
        ...base,
        reach: {
          kind: 'address',
          url: server.url,
          headers: Object.fromEntries(server.headers.map(({ name, value }) => [name, value])),
        },
      })
    else
      return {
        kind: 'invalid',
        reason: `the MCP server ${JSON.stringify(server.name)} uses ${server.type}, which Cadre does not support. Use stdio or http`,
      }
  }
  return { kind: 'servers', servers }
}
