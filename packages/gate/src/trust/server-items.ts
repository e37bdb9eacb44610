import { createHash } from 'node:crypto'
import path from 'node:path'
import { type AgentDefinition, type Json, parseJson } from '@cadre/core'
import { isInside, readWithin } from '@cadre/disk'
import type { FolderContents, FolderItem } from './folder-item.ts'
import { scriptsNamedIn } from './scripts-named-in.ts'

const files = ['.mcp.json', '.vscode/mcp.json']

/** Returns the MCP servers of a project and its agents: programs that would be started. */
export function serverItems(project: string, agents: readonly AgentDefinition[]): FolderContents {
  const items: FolderItem[] = []
  const unusable: { file: string; reason: string }[] = []
  for (const name of files) {
    const file = path.join(project, name)
    const content = readWithin(project, file)
    if (content.kind === 'unusable') unusable.push({ file, reason: content.reason })
    if (content.kind !== 'read') continue
    const servers = serversIn(content.text)
    if (servers !== undefined && servers.length === 0) continue
    items.push(
      { path: file, sha256: content.sha256, file, what: whatOf(servers) },
      ...scriptsOf(servers, file, project),
    )
  }
  for (const { mcpServers, source } of agents) {
    if (mcpServers === undefined || mcpServers === null || source === undefined) continue
    if (!isInside(project, source.path)) continue
    const sha256 = createHash('sha256').update(JSON.stringify(mcpServers)).digest('hex')
    const servers = entriesOf(mcpServers)
    const item = { path: `${source.path}#mcpServers`, sha256, file: source.path, what: whatOf(servers) }
    items.push(
      { ...item, ...(source.line !== undefined && { line: source.line }) },
      ...scriptsOf(servers, source.path, project),
    )
  }
  return { items, unusable }
}

type Server = readonly [name: string, server: Json]

/** Returns undefined if the file is not valid: then it may start anything. */
function serversIn(text: string): readonly Server[] | undefined {
  const parsed = parseJson(text)
  if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null) return undefined
  const { mcpServers, servers } = parsed.value as { mcpServers?: Json; servers?: Json }
  return [...entriesOf(mcpServers), ...entriesOf(servers)]
}

function entriesOf(value: Json | undefined): readonly Server[] {
  if (typeof value !== 'object' || value === null) return []
  if (!Array.isArray(value)) return Object.entries(value)
  // A list contains names of servers that are defined elsewhere, or servers by name.
  return value.flatMap((item: Json): readonly Server[] =>
    typeof item === 'string' ? [[item, null]] : entriesOf(item),
  )
}

function whatOf(servers: readonly Server[] | undefined): string {
  if (servers === undefined) return 'starts MCP servers (it is not valid JSON)'
  return `starts the MCP ${servers.length === 1 ? 'server' : 'servers'} ${servers.map(([name]) => name).join(', ')}`
}

function scriptsOf(servers: readonly Server[] | undefined, by: string, project: string): FolderItem[] {
  const words = (servers ?? []).flatMap(([, server]) => {
    const { command, args } = (server ?? {}) as { command?: Json; args?: Json }
    return [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string')
  })
  return scriptsNamedIn(words, project).map((item) => ({ ...item, file: item.path, what: `is run by ${by}` }))
}
