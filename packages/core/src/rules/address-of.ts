import type { Tool } from '../ports/tool.ts'
import { restrictionCoversTool } from '../vocabulary/select-tools.ts'

/**
 * Returns the address that a call contacts: the one that the tool declares, or the argument `url` of a tool for the web. For a tool to which
 * rules about fetching apply, it is empty if it is unknown, so that each of these rules applies.
 */
export function addressOf(tool: Tool, input: unknown): string | undefined {
  if (tool.address !== undefined) return tool.address(input)
  const url = (input as { readonly url?: unknown } | null)?.url
  const fetches = restrictionCoversTool('web_fetch', tool)
  if (typeof url === 'string' && (fetches || tool.class === 'web')) return url
  return fetches ? '' : undefined
}
