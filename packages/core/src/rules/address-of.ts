import type { Tool } from '../ports/tool.ts'

/** Returns the address that a call contacts, if the tool declares it, or if a tool for the web has an argument `url`. */
export function addressOf(tool: Tool, input: unknown): string | undefined {
  if (tool.address !== undefined) return tool.address(input)
  const url = tool.class === 'web' ? (input as { readonly url?: unknown } | null)?.url : undefined
  return typeof url === 'string' ? url : undefined
}
