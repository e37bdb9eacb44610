import {
  type AgentDefinition,
  interpretToolName,
  permissionCoversTool,
  restrictionCoversTool,
  type Tool,
  toolsetOf,
} from '@cadre/core'
import type { MissingTool, RefusedTool, RuleView, ToolView } from './agent-view.ts'
import type { KeyLocations } from './key-locations.ts'

export interface ToolsRequest {
  readonly agent: AgentDefinition
  readonly tools: readonly Tool[]
  /** The agents that the session may start: without any, it gets no tool to delegate. */
  readonly targets: readonly string[]
  readonly places: KeyLocations
}

const toolKeys = ['tools', 'capabilities', 'allowedtools']
const removingKeys = ['disallowedtools', ...toolKeys, 'permissionmode', 'readonly']
const ruleKeys = ['permission', 'permissions', 'tools', 'disallowedtools']

/** The tools of an agent, computed with the same toolset that sessions use. */
export function describeTools({ agent, tools, targets, places }: ToolsRequest) {
  const toolset = (part: Partial<AgentDefinition>) =>
    toolsetOf({ agent: { ...agent, ...part }, tools, targets, completion: 'text' })
  const offeredBy = (part: Partial<AgentDefinition>): Tool[] => {
    const set = toolset(part)
    return set.offers.flatMap((offer) => set.find(offer.name)?.tool ?? [])
  }
  const alone = (name: string) => offeredBy({ tools: { kind: 'list', names: [name] }, disallowedTools: [] })
  const written = agent.tools.kind === 'all' ? [] : agent.tools.names
  const givenBy = new Map(written.map((name) => [name, new Set(alone(name).map((tool) => tool.name))]))

  const given = toolset({})
  const offered = given.offers.flatMap((offer): ToolView[] => {
    const tool = given.find(offer.name)?.tool
    if (tool === undefined) return []
    const named = written.filter((name) => givenBy.get(name)?.has(tool.name))
    const from =
      named[0] === undefined ? places.of(toolKeys, 'default: all') : places.within(toolKeys, named[0])
    return [{ name: offer.name, class: tool.class, effect: tool.effect, named, from }]
  })

  const kept = offeredBy({})
  const names = new Set(kept.map((tool) => tool.name))
  const taken = offeredBy({ disallowedTools: [] }).filter((tool) => !names.has(tool.name))
  const disallowed = taken.map((tool): RefusedTool => {
    const by = agent.disallowedTools?.find((name) => restrictionCoversTool(name, tool)) ?? ''
    return { name: tool.name, by, from: places.within(removingKeys, by) }
  })

  const unavailable = written.flatMap((name): MissingTool[] => {
    if ((givenBy.get(name)?.size ?? 0) > 0) return []
    return [{ name, reason: reasonFor(name), from: places.within(toolKeys, name) }]
  })

  const permissions = (agent.permissions ?? []).map((rule): RuleView => {
    const about = kept.filter((tool) => permissionCoversTool(rule, tool))
    return { ...rule, tools: about.map((tool) => tool.name), from: places.within(ruleKeys, rule.tool) }
  })
  return { offered, disallowed, unavailable, permissions }
}

function reasonFor(name: string): MissingTool['reason'] {
  const meaning = interpretToolName(name)
  if (meaning.kind === 'tools' && meaning.names.includes('reportOut')) return 'delegated'
  const { kind } = meaning
  return kind === 'unknown' || kind === 'elsewhere' || kind === 'server' ? kind : 'not-here'
}
