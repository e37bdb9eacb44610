import type { AgentDefinition } from '../ports/agent.ts'
import type { Tool } from '../ports/tool.ts'
import { knownTools } from '../vocabulary/known-tools.ts'
import { didYouMean } from '../vocabulary/nearest.ts'
import { restrictionCoversTool } from '../vocabulary/select-tools.ts'
import { interpretToolName } from '../vocabulary/vocabulary.ts'
import { bareServerNames, serverPrefixes } from '../vocabulary/vocabulary-elsewhere.ts'
import { matchesWildcard } from '../vocabulary/wildcard.ts'

export interface Denied {
  readonly tools: readonly Tool[]
  /** Their files can name MCP servers. */
  readonly agents: readonly AgentDefinition[]
}

/**
 * Returns the reason why a denied tool name matches no tool, or `undefined` if it matches one. Stricter than for tools in agent files: a
 * misspelt name there grants nothing, but here it would deny nothing.
 */
export function explainUnknownToolName(name: string, { tools, agents }: Denied): string | undefined {
  if (tools.some((tool) => restrictionCoversTool(name, tool))) return undefined
  const meaning = interpretToolName(name)
  const shown = JSON.stringify(name)
  if (meaning.kind === 'server') {
    const servers = [...bareServerNames, ...Object.values(serverPrefixes), ...agents.flatMap(serversOf)]
    const wanted = meaning.server.toLowerCase()
    if (servers.some((server) => matchesWildcard(wanted, server.toLowerCase()))) return undefined
    return `${shown} matches no tool: there is no MCP server named ${JSON.stringify(meaning.server)}${ending(meaning.server, servers)}`
  }
  const known = [...knownTools(), ...tools.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])])]
  // In files written for an editor, every name in one of its groups is accepted as a tool of that editor.
  const isKnown = meaning.kind !== 'elsewhere' || known.some((one) => isSame(one, name))
  if (meaning.kind !== 'unknown' && isKnown) return undefined
  return `there is no tool or tool class named ${shown}${ending(name, known)}`
}

function ending(name: string, known: readonly string[]): string {
  return didYouMean(name, known) || '.'
}

function isSame(a: string, b: string): boolean {
  const plain = (name: string) => name.toLowerCase().replace(/^.*\//, '')
  return plain(a) === plain(b)
}

function serversOf({ mcpServers }: AgentDefinition): string[] {
  const isMapping = typeof mcpServers === 'object' && mcpServers !== null && !Array.isArray(mcpServers)
  return isMapping ? Object.keys(mcpServers) : []
}
