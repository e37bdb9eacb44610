import type { AgentDefinition } from './agent.ts'
import { knownTools } from './known-tools.ts'
import { didYouMean } from './nearest.ts'
import { covers } from './select-tools.ts'
import type { Tool } from './tool.ts'
import { understandTool } from './vocabulary.ts'
import { bareServers, serverPrefixes } from './vocabulary-elsewhere.ts'
import { fitsWildcard } from './wildcard.ts'

export interface Denied {
  readonly tools: readonly Tool[]
  /** Their files can name MCP servers. */
  readonly agents: readonly AgentDefinition[]
}

/**
 * Why a name of a tool that a person denies is about nothing; nothing when it is about something. Stricter than what an agent
 * file is read with: a misspelt name there gives nothing, and here it would forbid nothing.
 */
export function unknownDenial(name: string, { tools, agents }: Denied): string | undefined {
  if (tools.some((tool) => covers(name, tool))) return undefined
  const meaning = understandTool(name)
  const shown = JSON.stringify(name)
  if (meaning.kind === 'server') {
    const servers = [...bareServers, ...Object.values(serverPrefixes), ...agents.flatMap(serversOf)]
    const wanted = meaning.server.toLowerCase()
    if (servers.some((server) => fitsWildcard(wanted, server.toLowerCase()))) return undefined
    return `${shown} is about no tool: there is no MCP server named ${JSON.stringify(meaning.server)}${ending(meaning.server, servers)}`
  }
  const known = [...knownTools(), ...tools.flatMap((tool) => [tool.name, ...(tool.aliases ?? [])])]
  // Behind a group of an editor every name is taken for one of the editor's, in files that were written for it.
  const isKnown = meaning.kind !== 'elsewhere' || known.some((one) => isSame(one, name))
  if (meaning.kind !== 'unknown' && isKnown) return undefined
  return `there is no tool or class of tools named ${shown}${ending(name, known)}`
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
