import type { AgentDefinition } from './agent.ts'
import { delegationTools, reportOut } from './delegation.ts'
import type { ToolOffer } from './model.ts'
import type { Completion } from './session-spec.ts'
import type { Tool } from './tool.ts'

/** A tool, and the name by which it was called. */
export interface FoundTool {
  readonly tool: Tool
  readonly spelling: string
  readonly allowed: boolean
}

/** What one session can call, and what its model is offered. */
export interface Toolset {
  readonly offers: readonly ToolOffer[]
  find(name: string): FoundTool | undefined
  names(): readonly string[]
  /** What the agent's lists name and nobody knows. It never widens anything; somebody should be told. */
  readonly unknown: readonly string[]
}

export interface ToolsetRequest {
  readonly agent: AgentDefinition
  readonly tools: readonly Tool[]
  readonly targets: readonly string[]
  readonly completion: Completion
}

/** Known also to a session that has nobody to delegate to. */
const delegationNames = new Set(
  ['agent', ...delegationTools(['-']).flatMap(({ name, aliases = [] }) => [name, ...aliases])].map((name) =>
    name.toLowerCase(),
  ),
)

const made = new WeakMap<readonly Tool[], WeakMap<AgentDefinition, Map<string, Toolset>>>()

/**
 * The toolset of a session. Sessions of the same agent share one: a thousand of them must not cost a thousand indexes, and
 * a backend writes the list of offers once when it is the same list.
 */
export function toolsetOf(request: ToolsetRequest): Toolset {
  const { agent, tools, targets, completion } = request
  const byAgent = made.get(tools) ?? new WeakMap<AgentDefinition, Map<string, Toolset>>()
  const byKind = byAgent.get(agent) ?? new Map<string, Toolset>()
  const key = `${completion} ${targets.join('\n')}`
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
function createToolset({ agent, tools, targets, completion }: ToolsetRequest): Toolset {
  const delegation = targets.length === 0 ? [] : delegationTools(targets)
  const known = index([...tools, ...delegation, reportOut])
  const offered = new Map<Tool, string>()
  const unknown: string[] = []
  const select = (name: string, act: (tool: Tool, as: string) => void) => {
    // A class before a name: `read` is every reading tool, while `Read` is the one that another dialect calls so.
    const ofClass = [...tools, ...delegation].filter((tool) => tool.class === name)
    const tool = known.get(name.toLowerCase())
    if (ofClass.length > 0) for (const one of ofClass) act(one, one.name)
    else if (tool !== undefined) act(tool, aliasOf(tool, name) ?? tool.name)
    else if (name !== '*' && !delegationNames.has(name.toLowerCase())) unknown.push(name)
  }
  if (agent.tools.kind === 'all' || agent.tools.names.includes('*')) {
    for (const tool of [...tools, ...delegation]) offered.set(tool, tool.name)
  } else {
    for (const name of agent.tools.names)
      select(name, (tool, as) => offered.has(tool) || offered.set(tool, as))
  }
  for (const name of agent.disallowedTools ?? []) select(name, (tool) => offered.delete(tool))
  offered.delete(reportOut)
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
    unknown,
    find(name) {
      const tool = known.get(name.toLowerCase())
      return tool && { tool, spelling: name, allowed: offered.has(tool) }
    },
  }
}

/** The name a prompt should use for delegating: the one that is offered. */
export function delegationName(toolset: Toolset): string | undefined {
  return toolset.offers.find((offer) => toolset.find(offer.name)?.tool.kind === 'delegate')?.name
}

function index(tools: readonly Tool[]): Map<string, Tool> {
  const known = new Map<string, Tool>()
  // Names win over aliases, whatever the order of the tools.
  for (const tool of tools) for (const alias of tool.aliases ?? []) known.set(alias.toLowerCase(), tool)
  for (const tool of tools) known.set(tool.name.toLowerCase(), tool)
  return known
}

function aliasOf(tool: Tool, name: string): string | undefined {
  return tool.aliases?.find((alias) => alias.toLowerCase() === name.toLowerCase())
}

/** Renames and reshapes what a model wrote into the arguments the tool knows. */
export function normaliseInput(tool: Tool, spelling: string, input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  const adapt = tool.adapt?.[aliasOf(tool, spelling) ?? spelling]
  const given =
    adapt === undefined ? (input as Record<string, unknown>) : adapt(input as Record<string, unknown>)
  const { argumentAliases } = tool
  if (argumentAliases === undefined) return given
  let renamed: Record<string, unknown> | undefined
  for (const key of Object.keys(given)) {
    const name = Object.hasOwn(argumentAliases, key) ? (argumentAliases[key] as string) : undefined
    if (name === undefined || Object.hasOwn(given, name)) continue
    renamed ??= { ...given }
    renamed[name] = renamed[key]
    delete renamed[key]
  }
  return renamed ?? given
}
