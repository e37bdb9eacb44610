import { type AgentDefinition, isObject, type Json } from '@cadre/core'

/** Agents in order, and the entry agent. */
export interface OrderedAgents {
  readonly agents: readonly AgentDefinition[]
  readonly entry?: string
}

const orderKey = 'cadre-order'
const entryKey = 'cadre-entry'

/**
 * Settings have an order and an entry agent; separate files have neither. So each file gets its position in `metadata`,
 * which every host ignores.
 */
export function addOrderMetadata({ agents, entry }: OrderedAgents): readonly AgentDefinition[] {
  return agents.map((agent, index) => {
    const marks = { [orderKey]: String(index + 1), ...(agent.name === entry && { [entryKey]: 'true' }) }
    const metadata = agent.unknown?.['metadata']
    // At the top level, if it could not be restored otherwise.
    if (metadata !== undefined && !(isObject(metadata) && Object.keys(metadata).length > 0))
      return { ...agent, unknown: { ...agent.unknown, ...marks } }
    return { ...agent, unknown: { ...agent.unknown, metadata: { ...metadata, ...marks } } }
  })
}

/** The inverse: sorts agents by their marks, and removes the marks. */
export function restoreOrder(agents: readonly AgentDefinition[]): OrderedAgents {
  const marked = agents.map((agent, index) => {
    const marks = marksOf(agent)
    const order = Number(marks[orderKey])
    return {
      agent: withoutMarks(agent),
      order: order > 0 ? order : Number.POSITIVE_INFINITY,
      index,
      isEntry: String(marks[entryKey]) === 'true',
    }
  })
  const sorted = marked.toSorted((a, b) =>
    a.order === b.order ? a.index - b.index : a.order < b.order ? -1 : 1,
  )
  const entry = sorted.find(({ isEntry }) => isEntry)?.agent.name
  return { agents: sorted.map(({ agent }) => agent), ...(entry !== undefined && { entry }) }
}

type Unknown = { readonly [key: string]: Json }

function marksOf({ unknown = {} }: AgentDefinition): Unknown {
  const { metadata } = unknown
  return isObject(metadata) ? { ...unknown, ...metadata } : unknown
}

function withoutMarks(agent: AgentDefinition): AgentDefinition {
  if (agent.unknown === undefined) return agent
  const { unknown: before, ...definition } = agent
  const unknown = withoutKeys(before)
  const { metadata, ...rest } = unknown
  const kept = isObject(metadata) ? withoutKeys(metadata) : metadata
  // A mapping with only marks was created for them.
  const isOurs =
    isObject(metadata) && isObject(kept) && Object.keys(kept).length === 0 && Object.keys(metadata).length > 0
  const left = metadata === undefined || isOurs ? rest : { ...unknown, metadata: kept as Json }
  return Object.keys(left).length === 0 ? definition : { ...definition, unknown: left }
}

function withoutKeys(values: Unknown): Unknown {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== orderKey && key !== entryKey))
}
