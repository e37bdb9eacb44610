import { shortLine } from '@cadre/core'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { HostClient } from './host-tool.ts'

/** Reads the caller's name: since revision 2026-07-28 from the request, before that from the handshake. The client can claim any name. */
export function clientOf({ server }: McpServer, { mcpReq }: Pick<ServerContext, 'mcpReq'>): HostClient {
  const envelope = (mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>
  const said = envelope[CLIENT_INFO_META_KEY] as Implementation | undefined
  const can = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
  const info = said ?? server.getClientVersion()
  const capabilities = can ?? server.getClientCapabilities()
  return {
    name: shortLine(typeof info?.name === 'string' ? info.name : '', 100),
    elicits: capabilities?.elicitation !== undefined && formsIn(capabilities.elicitation),
  }
}

/** In revisions without several modes, a client declared forms with an empty object. */
function formsIn(elicitation: NonNullable<ClientCapabilities['elicitation']>): boolean {
  return 'form' in elicitation || Object.keys(elicitation).length === 0
}
