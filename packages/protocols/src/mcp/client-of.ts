import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { HostClient } from './host-tool.ts'
import { plainLine } from './plain-line.ts'

/** Reads who calls: from the request since the revision 2026-07-28, and from the handshake before. Both are claims of the client. */
export function clientOf({ server }: McpServer, { mcpReq }: Pick<ServerContext, 'mcpReq'>): HostClient {
  const envelope = (mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>
  const said = envelope[CLIENT_INFO_META_KEY] as Implementation | undefined
  const can = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
  const info = said ?? server.getClientVersion()
  const capabilities = can ?? server.getClientCapabilities()
  return {
    name: plainLine(typeof info?.name === 'string' ? info.name : '', 100),
    elicits: capabilities?.elicitation !== undefined && formsIn(capabilities.elicitation),
  }
}

/** Before there were several modes, a client declared forms with an empty object. */
function formsIn(elicitation: NonNullable<ClientCapabilities['elicitation']>): boolean {
  return 'form' in elicitation || Object.keys(elicitation).length === 0
}
