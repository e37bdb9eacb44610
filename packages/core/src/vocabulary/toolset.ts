import type { AgentDefinition } from '../ports/agent.ts'
import type { ToolOffer } from '../ports/model.ts'
import type { Completion, SessionSpec } from '../ports/session-spec.ts'
import type { Tool } from '../ports/tool.ts'
import { delegationTools, reportOut } from '../tree/delegation.ts'
import { rejectDuplicateArguments, renameArguments } from './rename-arguments.ts'
import { aliasOf, grantedBy, indexTools, restrictionCoversTool } from './select-tools.ts'
import { interpretToolName } from './vocabulary.ts'

/** A tool, and the name that the call used. */
export interface FoundTool {
  readonly tool: Tool
  readonly spelling: string
  readonly allowed: boolean
  /** Set if the agent's lists do not grant it, and the session has it only as a teammate. */
  readonly teamOnly?: true
}

/** The tools that a session can call, and those that its model sees. */
export interface Toolset {
  readonly offers: readonly ToolOffer[]
  find(name: string): FoundTool | undefined
  names(): readonly string[]
  /** Unknown names in the agent's lists. They grant nothing, and should be reported. */
  readonly unknown: readonly string[]
  /** Known names in the agent's lists whose tools this process does not have: tools of a server, an editor or Cadre. */
  readonly absent: readonly string[]
}

export interface ToolsetRequest {
  readonly agent: AgentDefinition
  readonly tools: readonly Tool[]
  readonly targets: readonly string[]
  readonly completion: Completion
  /** Set for a teammate. */
  readonly team?: SessionSpec['team']
}

const toolsets = new WeakMap<readonly Tool[], WeakMap<AgentDefinition, Map<string, Toolset>>>()

/**
 * The toolset of a session. Sessions of the same agent share one, so that a thousand sessions need one index, and backends can serialise
 * the list of offers once.
 */
export function toolsetOf(request: ToolsetRequest): Toolset {
  const { agent, tools, targets, completion, team } = request
  const byAgent = toolsets.get(tools) ?? new WeakMap<AgentDefinition, Map<string, Toolset>>()
  const byKind = byAgent.get(agent) ?? new Map<string, Toolset>()
  const key = `${completion} ${team !== undefined} ${targets.join('\n')}`
  const toolset = byKind.get(key) ?? createToolset(request)
  byKind.set(key, toolset)
  byAgent.set(agent, byKind)
  toolsets.set(tools, byAgent)
  return toolset
}

/** Finds every known tool, to tell a forbidden name from a misspelt one. Offers only the allowed tools. */
function createToolset({ agent, tools: all, targets, completion, team }: ToolsetRequest): Toolset {
  const tools = all.filter(({ server }) => server?.agent === undefined || server.agent === agent.name)
  const delegation = delegationTools(targets)
  const known = indexTools([...tools, ...delegation, reportOut])
  // Without targets, delegation tools can be found, so that a refusal can explain the reason, but are not offered.
  const teams = tools.filter(({ kind }) => kind === 'team')
  const usable =
    targets.length === 0 ? tools.filter((tool) => !teams.includes(tool)) : [...tools, ...delegation]
  const offered = new Map<Tool, string>()
  const unknown = new Set<string>()
  const absent = new Set<string>()
  const classify = (name: string) => {
    const meaning = interpretToolName(name)
    if (meaning.kind === 'unknown') unknown.add(name)
    else if (![...delegation, ...teams].some((tool) => restrictionCoversTool(name, tool))) absent.add(name)
  }
  for (const name of agent.tools.kind === 'all' ? ['*'] : agent.tools.names) {
    const granted = grantedBy(
      name,
      name === '*' ? usable.filter(({ onlyNamed }) => !onlyNamed) : usable,
      known,
    )
    for (const tool of granted) if (!offered.has(tool)) offered.set(tool, offeredName(tool, name))
    if (granted.length === 0) classify(name)
  }
  // A teammate must be able to send messages, unless its file denies that. A custom tool with this name is not granted, because Cadre
  // cannot know where it sends.
  const message = team && tools.find(({ name, origin }) => name === 'send_message' && origin === 'built-in')
  const teamOnly = message !== undefined && !offered.has(message) ? message : undefined
  if (teamOnly !== undefined) offered.set(teamOnly, teamOnly.name)
  for (const name of agent.disallowedTools ?? []) {
    const forbidden = usable.filter((tool) => restrictionCoversTool(name, tool))
    for (const tool of forbidden) offered.delete(tool)
    if (forbidden.length === 0) classify(name)
  }
  // A session that must report gets the tool regardless of its list.
  if (completion === 'report') offered.set(reportOut, reportOut.name)
  const offers = [...offered].map(([tool, name]) => ({
    name,
    description: tool.description,
    parameters: tool.parameters,
  }))
  return {
    offers,
    names: () => offers.map((offer) => offer.name),
    unknown: [...unknown],
    absent: [...absent],
    find(name) {
      const tool = known.get(name.toLowerCase())
      if (tool === undefined) return undefined
      const found = { tool, spelling: name, allowed: offered.has(tool) }
      return tool === teamOnly ? { ...found, teamOnly: true } : found
    },
  }
}

/** The name in the agent's dialect, if servers accept it: they reject slashes and dots. */
function offeredName(tool: Tool, name: string): string {
  if (interpretToolName(name).kind === 'class') return tool.name
  const bare = name.slice(name.lastIndexOf('/') + 1)
  const alias = aliasOf(tool, name) === undefined ? undefined : aliasOf(tool, bare)
  return alias !== undefined && /^[\w-]{1,64}$/.test(alias) ? alias : tool.name
}

/** The offered name of the delegation tool, for prompts. */
export function delegationName(toolset: Toolset): string | undefined {
  return toolset.offers.find((offer) => toolset.find(offer.name)?.tool.kind === 'delegate')?.name
}

/** Converts the arguments of a model to those of the tool. Throws if an argument is given twice with different values. */
export function normaliseInput(tool: Tool, spelling: string, input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  const written = input as Record<string, unknown>
  const { argumentAliases = {} } = tool
  // Check before adapting, because an adapter drops the spellings it does not choose.
  rejectDuplicateArguments(written, argumentAliases)
  const adapt = tool.adapt?.[spelling] ?? tool.adapt?.[aliasOf(tool, spelling) ?? spelling]
  return renameArguments(adapt === undefined ? written : adapt(written), argumentAliases)
}
