import type { ToolClass } from '../ports/agent.ts'
import { bareServerNames, editorGroups, foreignToolNames, serverPrefixes } from './vocabulary-elsewhere.ts'
import { classWords, ownTools } from './vocabulary-tools.ts'

/** The meaning of a name in a tool list, in any dialect. */
export type ToolMeaning =
  | { readonly kind: 'all' }
  | { readonly kind: 'class'; readonly class: ToolClass }
  /** Tools of Cadre by name. This process may not have them. */
  | { readonly kind: 'tools'; readonly names: readonly string[] }
  /** A tool of an MCP server or editor extension. Without `tool`: all of its tools. */
  | { readonly kind: 'server'; readonly server: string; readonly tool?: string }
  /** A tool of another host, without a counterpart in Cadre. */
  | { readonly kind: 'elsewhere'; readonly host: string }
  | { readonly kind: 'unknown' }

const unknown: ToolMeaning = { kind: 'unknown' }
const meanings = tabulate()

/**
 * Returns the meaning of a tool name in any dialect. Never throws. An unknown name is `unknown` and permits nothing.
 *
 * A lowercase class word is the class: `read` is every tool that reads. Any other name is one tool, regardless of case: `Read` is the tool
 * that Claude Code calls so. If a name is ambiguous, the narrower meaning applies.
 */
export function interpretToolName(name: string): ToolMeaning {
  const written = name.trim()
  if (written === '*') return { kind: 'all' }
  const word = Object.hasOwn(classWords, written) ? classWords[written] : undefined
  if (word !== undefined) return { kind: 'class', class: word }
  return (
    meanings.get(written.toLowerCase()) ?? meaningInGroup(written) ?? meaningOfServerTool(written) ?? unknown
  )
}

/** All other names of one of our tools, for its `aliases`. */
export function spellingsOf(tool: string): readonly string[] {
  return Object.hasOwn(ownTools, tool) ? (ownTools[tool]?.names ?? []) : []
}

/** The class of one of our tools, even if this process does not have it. */
export function classOf(tool: string): ToolClass | undefined {
  return Object.hasOwn(ownTools, tool) ? ownTools[tool]?.class : undefined
}

/** The class of the tool of ours that a name means, in any dialect: `Write` and `write_file` are `edit`. */
export function classOfName(name: string): ToolClass | undefined {
  const meaning = interpretToolName(name)
  return meaning.kind === 'tools' && meaning.names[0] !== undefined ? classOf(meaning.names[0]) : undefined
}

/** From the least to the most specific: a later entry replaces an earlier one. */
function tabulate(): ReadonlyMap<string, ToolMeaning> {
  const table = new Map<string, ToolMeaning>()
  const add = (name: string, meaning: ToolMeaning) => table.set(name.toLowerCase(), meaning)
  for (const server of bareServerNames) add(server, { kind: 'server', server })
  // If several hosts share a name, the first in the list wins.
  for (const [host, names] of Object.entries(foreignToolNames).reverse())
    for (const name of names) add(name, { kind: 'elsewhere', host })
  for (const [word, of] of Object.entries(classWords)) add(word, { kind: 'class', class: of })
  for (const [tool, { names }] of Object.entries(ownTools))
    for (const name of [tool, ...names]) add(name, { kind: 'tools', names: [tool] })
  return table
}

/** `vscode/openSimpleBrowser`, `search/*`: a name in one of the editor's groups. No server has the name of such a group. */
function meaningInGroup(written: string): ToolMeaning | undefined {
  const slash = written.indexOf('/')
  const group = written.slice(0, Math.max(0, slash)).toLowerCase()
  if (!editorGroups.some((known) => known.toLowerCase() === group)) return undefined
  const whole = written.slice(slash + 1) === '*' && Object.hasOwn(classWords, group)
  return whole
    ? { kind: 'class', class: classWords[group] as ToolClass }
    : { kind: 'elsewhere', host: 'VS Code' }
}

function meaningOfServerTool(written: string): ToolMeaning | undefined {
  // Claude Code: mcp__server, mcp__server__*, mcp__server__tool. Models in VS Code see: mcp_server_tool.
  const spelled =
    /^mcp__(?<server>.+?)(?:__(?<tool>.*))?$/i.exec(written) ??
    /^mcp_(?<server>[^_]+)_(?<tool>.+)$/i.exec(written) ??
    // server/tool, publisher.extension/tool, io.github.owner/server/tool; Name of a Server/*.
    /^(?<server>[\w.@-]+(?:\/[\w.@-]+)*)\/(?<tool>[\w.*-]+)$/.exec(written) ??
    /^(?<server>[\w.@-]+(?: [\w.@-]+)*)\/\*$/.exec(written)
  if (spelled !== null) {
    const { server = '', tool = '' } = spelled.groups ?? {}
    return tool === '' || tool === '*' ? { kind: 'server', server } : { kind: 'server', server, tool }
  }
  const prefix = Object.keys(serverPrefixes).find((start) => written.toLowerCase().startsWith(start))
  return prefix === undefined
    ? undefined
    : { kind: 'server', server: serverPrefixes[prefix] as string, tool: written }
}
