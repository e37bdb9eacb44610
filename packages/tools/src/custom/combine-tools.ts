import type { Notice, Tool } from '@cadre/core'

export interface CombinedTools {
  readonly tools: readonly Tool[]
  /** Every name that several tools have, and which of them gets it. */
  readonly reports: readonly Notice[]
}

const order = ['server', 'built-in', 'custom', 'editor'] as const

/**
 * Merges several lists. For a name, an editor tool takes precedence over a custom one, and that over a built-in one; within
 * one origin, the first applies. An alias never takes another tool's name, except that an editor tool replaces the weaker
 * tool that it names as an alias: both do the same job. It then has all names of that tool, so that lists and rules about
 * it still apply.
 */
export function combineTools(lists: readonly (readonly Tool[])[]): CombinedTools {
  const byName = new Map<string, Tool>()
  const reports: Notice[] = []
  for (const tool of lists.flat()) {
    const key = tool.name.toLowerCase()
    const other = byName.get(key)
    if (other !== undefined) reports.push(report(other, tool))
    if (other === undefined || rank(tool) > rank(other)) byName.set(key, tool)
  }
  return { tools: withOwnAliases(withoutReplaced([...byName.values()], reports), reports), reports }
}

function withoutReplaced(tools: readonly Tool[], reports: Notice[]): Tool[] {
  const byEditor = new Map<Tool, Tool>()
  for (const tool of tools.filter((one) => originOf(one) === 'editor'))
    for (const alias of tool.aliases ?? []) {
      const weaker = tools.find(({ name }) => name.toLowerCase() === alias.toLowerCase())
      if (weaker === undefined || originOf(weaker) === 'editor' || byEditor.has(weaker)) continue
      byEditor.set(weaker, tool)
      reports.push({
        code: 'tool_shadowed',
        message: `Cadre uses the editor tool ${tool.name} instead of the ${originOf(weaker)} tool ${weaker.name}.`,
      })
    }
  if (byEditor.size === 0) return [...tools]
  return tools.flatMap((tool) => {
    if (byEditor.has(tool)) return []
    const taken = [...byEditor].filter(([, by]) => by === tool).map(([weaker]) => weaker)
    if (taken.length === 0) return [tool]
    const names = taken.flatMap(({ name, aliases = [] }) => [name, ...aliases])
    return [{ ...tool, aliases: [...new Set([...(tool.aliases ?? []), ...names])] }]
  })
}

function withOwnAliases(tools: readonly Tool[], reports: Notice[]): Tool[] {
  const names = new Map(tools.map((tool) => [tool.name.toLowerCase(), tool]))
  const owners = new Map<string, Tool>()
  for (const tool of tools.toSorted((a, b) => rank(b) - rank(a))) {
    for (const alias of tool.aliases ?? []) {
      const key = alias.toLowerCase()
      if (!names.has(key) && !owners.has(key)) owners.set(key, tool)
    }
  }
  return tools.map((tool) => {
    const lost = (tool.aliases ?? []).filter(
      (alias) => owners.get(alias.toLowerCase()) !== tool && alias.toLowerCase() !== tool.name.toLowerCase(),
    )
    if (lost.length === 0) return tool
    for (const alias of lost) {
      const owner = names.get(alias.toLowerCase()) ?? owners.get(alias.toLowerCase())
      if (owner !== undefined)
        reports.push({
          code: 'tool_alias_taken',
          message: `the alias ${alias} now refers to the ${originOf(owner)} tool ${owner.name}, not to ${tool.name}.`,
        })
    }
    return { ...tool, aliases: (tool.aliases ?? []).filter((alias) => !lost.includes(alias)) }
  })
}

function report(first: Tool, second: Tool): Notice {
  const kept = rank(second) > rank(first) ? second : first
  const dropped = kept === first ? second : first
  const message =
    originOf(kept) === originOf(dropped)
      ? `there are two ${originOf(kept)} tools named ${kept.name}. Cadre uses the first one.`
      : `Cadre uses the ${originOf(kept)} tool ${kept.name} instead of the ${originOf(dropped)} one.`
  return { code: 'tool_shadowed', message }
}

function originOf(tool: Tool): (typeof order)[number] {
  return tool.origin ?? 'custom'
}

function rank(tool: Tool): number {
  return order.indexOf(originOf(tool))
}
