import type { Effect } from '../ports/tool.ts'

/** A tool of an MCP server, or all of its tools: `server/tool`, `server/*`, `mcp__server__tool`. */
export type ServerToolName = `${string}/${string}` | `mcp__${string}`

/** What `--allow` names: an effect, or a tool of an MCP server. */
export type Allowed = Effect | ServerToolName

const effects: readonly string[] = ['read', 'write', 'execute', 'outbound']

export function isEffect(text: string): text is Effect {
  return effects.includes(text)
}

export function isAllowed(text: unknown): text is Allowed {
  return typeof text === 'string' && (isEffect(text) || isServerTool(text))
}

/** A wildcard may stand for all tools of a server, but not for the server. */
export function isServerTool(text: string): text is ServerToolName {
  return (
    /^mcp__[\w.@-]+?(?:__[\w.*-]+)?$/.test(text) || /^[\w.@-]+(?:\/[\w.@-]+)*\/(?:\*|[\w.-]+\*?)$/.test(text)
  )
}
