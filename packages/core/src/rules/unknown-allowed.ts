import type { Tool } from '../ports/tool.ts'
import { type Allowed, isEffect, isServerTool } from '../vocabulary/allowed.ts'
import { didYouMean } from '../vocabulary/nearest.ts'
import { restrictionCoversTool } from '../vocabulary/select-tools.ts'

/**
 * Returns the reason why `--allow` with this name matches no tool of an MCP server, or `undefined` if it matches one. A misspelt name
 * grants nothing, so the run can start. `servers` are the configured ones: the tools of a server that cannot be reached are unknown.
 */
export function unknownAllowed(
  name: Allowed,
  { tools, servers }: { readonly tools: readonly Tool[]; readonly servers: readonly string[] },
): string | undefined {
  if (isEffect(name) || tools.some((tool) => restrictionCoversTool(name, tool))) return undefined
  const known = tools
    .flatMap(({ server }) => (server === undefined ? [] : [`${server.name}/${server.tool}`]))
    .filter(isServerTool)
  const hint =
    didYouMean(name, known) ||
    (servers.length === 0
      ? '. No MCP server is configured.'
      : '. List the MCP servers with "cadre mcp list", and the tools of one with "cadre mcp test NAME".')
  return `${JSON.stringify(name)} matches no tool of an MCP server, so it allows nothing${hint}`
}
