import type { AgentDefinition } from '../ports/agent.ts'
import type { ToolOffer } from '../ports/model.ts'
import type { Completion, SessionSpec } from '../ports/session-spec.ts'
import type { Tool } from '../ports/tool.ts'
import { delegationTools, reportOut } from '../tree/delegation.ts'
import { refuseTwoSpellings, renameArguments } from './rename-arguments.ts'
import { aliasOf, covers, grantedBy, indexTools } from './select-tools.ts'
import { understandTool } from './vocabulary.ts'

/** A tool, and the name by which it was called. */
export interface FoundTool {
  readonly tool: Tool
  readonly spelling: string
  readonly allowed: boolean
  /** The agent's lists do not give it. It is there because the session is a teammate. */
  readonly teamOnly?: true
}

/** The tools that one session can call, and those that its model is offered. */
export interface Toolset {
  readonly offers: readonly ToolOffer[]
  find(name: string): FoundTool | undefined
  names(): readonly string[]
  /** What the agent's lists name and nobody knows. It never widens anything; somebody should be told. */
  readonly unknown: readonly string[]
  /** What the agent's lists name and is known, but not there in this process: a server's, an editor's, or one of ours. */
  readonly absent: readonly string[]
}

export interface ToolsetRequest {
  readonly agent: AgentDefinition
  readonly tools: readonly Tool[]
  readonly targets: readonly string[]
  readonly completion: Completion
  /** It is a teammate. */
  readonly team?: SessionSpec['team']
}

const made = new WeakMap<readonly Tool[], WeakMap<AgentDefinition, Map<string, Toolset>>>()

/**
 * The toolset of a session. Sessions of the same agent share one: a thousand of them must not cost a thousand indexes, and
 * a backend writes the list of offers once when it is the same list.
 */
export function toolsetOf(request: ToolsetRequest): Toolset {
  const { agent, tools, targets, completion, team } = request
  const byAgent = made.get(tools) ?? new WeakMap<AgentDefinition, Map<string, Toolset>>()
  const byKind = byAgent.get(agent) ?? new Map<string, Toolset>()
  const key = `${completion} ${team !== undefined} ${targets.join('\n')}`
  const toolset = byKind.get(key) ?? createToolset(request)
  byKind.set(key, toolset)
  byAgent.set(agent, byKind)
  made.set(tools, byAgent)
  return toolset
}

/**
 * Every known tool can be found, so that a call to one the agent may not use is told apart from a misspelt one; only
 * allowed ones are offered. Names that are in nobody's list never widen anything.
 */
function createToolset({ agent, tools, targets, completion, team }: ToolsetRequest): Toolset {
  const delegation = delegationTools(targets)
  const known = indexTools([...tools, ...delegation, reportOut])
  // With nobody to delegate to, the tools for it are known, so that a call is told why it is refused, and cannot be had.
  const teams = tools.filter(({ kind }) => kind === 'team')
  const usable =
    targets.length === 0 ? tools.filter((tool) => !teams.includes(tool)) : [...tools, ...delegation]
  const offered = new Map<Tool, string>()
  const unknown = new Set<string>()
  const absent = new Set<string>()
  const classify = (name: string) => {
    const meaning = understandTool(name)
    if (meaning.kind === 'unknown') unknown.add(name)
    else if (![...delegation, ...teams].some((tool) => covers(name, tool))) absent.add(name)
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
  // A teammate that could not write to the others would be none. What its file denies stays denied.
  // A tool of somebody else that has this name is not given: nobody here knows whom it reaches.
  const message = team && tools.find(({ name, origin }) => name === 'send_message' && origin === 'built-in')
  const teamOnly = message !== undefined && !offered.has(message) ? message : undefined
  if (teamOnly !== undefined) offered.set(teamOnly, teamOnly.name)
  for (const name of agent.disallowedTools ?? []) {
    const forbidden = usable.filter((tool) => covers(name, tool))
    for (const tool of forbidden) offered.delete(tool)
    if (forbidden.length === 0) classify(name)
  }
  // Whatever its list says: a session that must report has to be able to.
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

/** The name of the agent's dialect, where a model can be offered it: servers take neither slashes nor dots in names. */
function offeredName(tool: Tool, name: string): string {
  if (understandTool(name).kind === 'class') return tool.name
  const bare = name.slice(name.lastIndexOf('/') + 1)
  const alias = aliasOf(tool, name) === undefined ? undefined : aliasOf(tool, bare)
  return alias !== undefined && /^[\w-]{1,64}$/.test(alias) ? alias : tool.name
}

/** The name a prompt should use for delegating: the one that is offered. */
export function delegationName(toolset: Toolset): string | undefined {
  return toolset.offers.find((offer) => toolset.find(offer.name)?.tool.kind === 'delegate')?.name
}

/** Renames and reshapes what a model wrote into the arguments the tool knows. Throws where one is given twice with different values. */
export function normaliseInput(tool: Tool, spelling: string, input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  const written = input as Record<string, unknown>
  const { argumentAliases = {} } = tool
  // Before it is reshaped: what an adapter chooses from, it leaves out.
  refuseTwoSpellings(written, argumentAliases)
  const adapt = tool.adapt?.[spelling] ?? tool.adapt?.[aliasOf(tool, spelling) ?? spelling]
  return renameArguments(adapt === undefined ? written : adapt(written), argumentAliases)
}
