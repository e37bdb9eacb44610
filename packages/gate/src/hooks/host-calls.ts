import path from 'node:path'
import {
  isObject,
  type Json,
  type JsonObject,
  type JudgedCall,
  namesFor,
  normaliseInput,
  type Tool,
} from '@cadre/core'
import type { HookDialect } from './hook.ts'
import { claudeTools, copilotTools, type HostTools, vscodeTools } from './host-tools.ts'

/** A call as a host of the dialect would make it. */
export interface HostCall {
  readonly name: string
  readonly input: JsonObject
  /** Other names of the same tool in that host. */
  readonly aliases: readonly string[]
}

export interface NamingOptions {
  readonly dialect: HookDialect
  readonly casing: 'camel' | 'pascal'
}

const tables: { readonly [dialect in HookDialect]: HostTools } = {
  claude: claudeTools,
  copilot: copilotTools,
  vscode: vscodeTools,
}

/**
 * Translates a call into the dialect. Paths are absolute, as in the host, because a hook does not run in the workspace of a
 * session. A call about several files becomes one call per file, so that a script that checks the path sees every path.
 */
export function toHostCalls(
  { tool, input }: Pick<JudgedCall, 'tool' | 'input'>,
  { dialect, casing }: NamingOptions,
  workspace: string,
): readonly HostCall[] {
  const given = isObject(input) ? input : {}
  const row = Object.hasOwn(tables[dialect], tool.name) ? tables[dialect][tool.name] : undefined
  const paths = (tool.paths?.(input) ?? []).map((file) => path.resolve(workspace, file))
  const calls = row?.calls(withAbsolutePaths(given, workspace), paths) ?? [
    { name: defaultName(dialect, tool), input: given, aliases: serverNames(tool) },
  ]
  return calls.map(({ name, input: said, aliases = [] }) => {
    const runtime = [name, ...aliases]
    // The Copilot CLI reports Claude's names in the snake_case payload, with unchanged arguments.
    const shown = dialect === 'copilot' && casing === 'pascal' ? (claudeNameOf(tool) ?? name) : name
    return { name: shown, input: said, aliases: [...runtime, ...(row?.also ?? [])] }
  })
}

function withAbsolutePaths(input: JsonObject, workspace: string): JsonObject {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]): [string, Json] => {
      if ((key === 'path' || key === 'cwd') && typeof value === 'string')
        return [key, path.resolve(workspace, value)]
      if (key !== 'edits' || !Array.isArray(value)) return [key, value]
      const list = value as readonly Json[]
      return [key, list.map((edit) => (isObject(edit) ? withAbsolutePaths(edit, workspace) : edit))]
    }),
  )
}

function claudeNameOf(tool: Tool): string | undefined {
  return Object.hasOwn(claudeTools, tool.name) ? claudeTools[tool.name]?.name : undefined
}

/** The names of a tool of an MCP server in all hosts, so that a matcher applies however it is written. */
function serverNames({ server, name }: Tool): readonly string[] {
  if (server === undefined) return []
  const claude = `mcp__${server.name}__${server.tool}`
  return [...new Set([name, claude, `${server.name}-${server.tool}`, `${server.name}/${server.tool}`])]
}

function defaultName(dialect: HookDialect, tool: Tool): string {
  const { server } = tool
  if (server !== undefined && dialect === 'copilot') return `${server.name}-${server.tool}`
  if (server !== undefined && dialect === 'vscode') return `mcp_${server.name}_${server.tool}`
  if (server !== undefined) return `mcp__${server.name}__${server.tool}`
  return (dialect === 'claude' ? namesFor('claude', tool.name)?.[0] : undefined) ?? tool.name
}

/** Translates arguments returned by a hook back to those of the tool. Throws if the tool rejects them. */
export function fromHostInput(tool: Tool, name: string, input: JsonObject): JsonObject {
  const own = normaliseInput(tool, name, input)
  return isObject(own) ? own : input
}
