import type { Tool } from '../ports/tool.ts'
import { interpretToolName, type ToolMeaning } from './vocabulary.ts'
import { matchesWildcard } from './wildcard.ts'

/** The tools that a name in an agent's list grants. A tool with exactly this name takes precedence over the meaning in the dialects. */
export function grantedBy(
  name: string,
  tools: readonly Tool[],
  named: ReadonlyMap<string, Tool>,
): readonly Tool[] {
  const meaning = interpretToolName(name)
  // Classes take precedence over names: `read` is every tool that reads, `Read` is the tool that another dialect calls so.
  if (meaning.kind === 'class')
    return tools.filter((tool) => tool.class === meaning.class || tool.name === name)
  const called = named.get(name.toLowerCase())
  return tools.filter((tool) => (called === undefined ? isMeant(meaning, name, tool) : tool === called))
}

/**
 * Returns whether a name in a deny list or a rule applies to this tool. It covers more than the same name grants: a restriction applies to
 * the tool with that name and to the tools that the dialects mean by it.
 */
export function restrictionCoversTool(name: string, tool: Tool): boolean {
  if (ruleCoversTool(name, tool)) return true
  const meaning = interpretToolName(name)
  if (meaning.kind !== 'tools') return false
  // A rule about fetching restricts every tool that fetches: an agent must not reach a denied host with another tool.
  if (tool.address !== undefined && meaning.names.includes('web_fetch')) return true
  return tool.class === 'edit' && !/^(?:write|edit)_file$/.test(tool.name) && restrictsOtherEdits(name)
}

/** In Claude Code, only `Write` and `Edit` change files, so a restriction of either also covers tools for which it has no name. */
export function restrictsOtherEdits(name: string): boolean {
  return /^(?:Write|Edit)$/i.test(name)
}

/** The same for a rule that can also allow calls: it covers fewer tools. */
export function ruleCoversTool(name: string, tool: Tool): boolean {
  const meaning = interpretToolName(name)
  if (isCalled(tool, name) || isMeant(meaning, name, tool)) return true
  // Denying an agent its own todo list also denies the task tools.
  if (meaning.kind === 'class' && meaning.class === 'todo' && tool.class === 'task') return true
  // In other programs `Task` is the only way to delegate, so denying it denies all our delegation tools. Our own names mean only
  // themselves.
  return (
    (tool.kind === 'delegate' || tool.kind === 'team') &&
    meaning.kind === 'tools' &&
    meaning.names.some(isDelegation) &&
    !isDelegation(name)
  )
}

/**
 * Returns whether a rule that allows calls means this tool of an MCP server. It covers less than `restrictionCoversTool`: the name of a tool does not tell
 * where the name of its server ends, because the server `a__b` has tools `mcp__a__b__…`.
 */
export function allowsServerTool(name: string, tool: Tool): boolean {
  if (tool.server === undefined) return false
  const meaning = interpretToolName(name)
  return (
    tool.name.toLowerCase() === name.toLowerCase() ||
    (meaning.kind === 'server' && fitsServer(meaning, tool.server.name, tool.server.tool))
  )
}

/** Tools by all their names and aliases, in lowercase. A name takes precedence over an alias, and an earlier alias over a later one. */
export function indexTools(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const known = new Map<string, Tool>()
  for (const tool of tools)
    for (const alias of tool.aliases ?? [])
      if (!known.has(alias.toLowerCase())) known.set(alias.toLowerCase(), tool)
  for (const tool of tools) known.set(tool.name.toLowerCase(), tool)
  return known
}

/** Returns the tool's spelling of an alias, preferably with the same case. */
export function aliasOf(tool: Tool, name: string): string | undefined {
  const { aliases = [] } = tool
  if (aliases.includes(name)) return name
  const wanted = name.toLowerCase()
  return aliases.find((alias) => alias.toLowerCase() === wanted)
}

function isCalled(tool: Tool, name: string): boolean {
  return tool.name.toLowerCase() === name.toLowerCase() || aliasOf(tool, name) !== undefined
}

function isDelegation(name: string): boolean {
  return name === 'delegate_task' || name === 'delegateWork'
}

function isMeant(meaning: ToolMeaning, name: string, tool: Tool): boolean {
  switch (meaning.kind) {
    case 'all':
      return true
    case 'class':
      return tool.class === meaning.class
    case 'tools':
      return meaning.names.includes(tool.name)
    case 'server':
      return isOfServer(meaning, tool)
    case 'elsewhere':
      return false
    case 'unknown':
      // The name of a server that only this process has.
      return isOfServer({ server: name }, tool)
  }
}

/**
 * MCP tools are named `mcp__server__tool`, however a list writes them. Tools of editor extensions have any name; an alias contains their
 * extension: `publisher.extension/tool`.
 */
function isOfServer(meaning: NamedServer, of: Tool): boolean {
  const fits = (itsServer: string, itsTool: string) => fitsServer(meaning, itsServer, itsTool)
  if (of.server !== undefined && fits(of.server.name, of.server.tool)) return true
  const aliases = of.origin === 'editor' ? (of.aliases ?? []) : []
  return [of.name, ...aliases].some((name) => {
    const origin = interpretToolName(name)
    return origin.kind === 'server' && origin.tool !== undefined && fits(origin.server, origin.tool)
  })
}

interface NamedServer {
  readonly server: string
  readonly tool?: string
}

function fitsServer({ server, tool }: NamedServer, itsServer: string, itsTool: string): boolean {
  return (
    matchesWildcard(server.toLowerCase(), itsServer.toLowerCase()) &&
    (tool === undefined || matchesWildcard(tool.toLowerCase(), itsTool.toLowerCase()))
  )
}
