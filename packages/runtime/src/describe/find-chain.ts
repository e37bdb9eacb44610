import { type AgentDefinition, nameKey, type SessionSpec } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import { entryAgent } from '../entry-agent.ts'
import type { RunParts } from '../run-parts.ts'
import type { Depth } from './read-depth.ts'
import { requireAgent } from './require-agent.ts'
import { specFor } from './spec-for.ts'

/** From the entry agent down to the one that makes the call. */
export type DelegationChain = readonly [AgentDefinition, ...AgentDefinition[]]

export type FoundChain =
  | { readonly kind: 'chain'; readonly chain: DelegationChain }
  /** No run can have such a chain. */
  | { readonly kind: 'none'; readonly agent: AgentDefinition; readonly reason: string }

export interface ChainRequest {
  /** Default: the entry agent. */
  readonly agent?: string | undefined
  readonly depth?: Depth | undefined
}

/**
 * Finds the agents above an agent. A named chain is used as given: the gate decides whether it is possible. Otherwise one
 * is searched for, starting with the entry agent. An agent that people may not start is searched for below others. Throws
 * for an unknown agent.
 */
export async function findChain(
  parts: RunParts,
  { agent: wanted, depth }: ChainRequest,
): Promise<FoundChain> {
  const agent = wanted === undefined ? entryOf(parts) : requireAgent(parts.registry, wanted)
  if (depth?.kind === 'below') return { kind: 'chain', chain: below(parts, depth.names, agent) }
  if (depth !== undefined) return atLevel(parts, agent, depth.levels)
  const chain = agent.userInvocable === false ? await anywhere(parts, agent) : undefined
  return { kind: 'chain', chain: chain ?? [agent] }
}

function entryOf({ registry, entry }: RunParts): AgentDefinition {
  const { agents, entry: configured, diagnostics } = registry.loaded()
  const faults = diagnostics.filter(({ severity }) => severity === 'error').map(showDiagnostic)
  return entryAgent({ agents, configured: entry ?? configured, faults })
}

function below({ registry }: RunParts, names: readonly string[], agent: AgentDefinition): DelegationChain {
  const above = names.map((name) => requireAgent(registry, name))
  // An agent cannot be below itself: a chain that ends with the agent includes it.
  if (above.at(-1)?.name === agent.name) above.pop()
  return [...above, agent] as unknown as DelegationChain
}

function depthText(levels: number): string {
  return levels === 1 ? '1 level' : `${levels} levels`
}

async function atLevel(parts: RunParts, agent: AgentDefinition, levels: number): Promise<FoundChain> {
  if (levels === 0) return { kind: 'chain', chain: [agent] }
  const none = (reason: string): FoundChain => ({ kind: 'none', agent, reason })
  const { depth } = parts.limits
  if (levels > depth)
    return none(
      `the maximum delegation depth is ${depth}, so ${agent.name} is never ${depthText(levels)} below an entry agent`,
    )
  const steps = { left: maxSteps }
  for (const entry of entriesOf(parts)) {
    const chain = await search({ parts, agent, levels, steps }, [entry])
    if (chain !== undefined) return { kind: 'chain', chain }
  }
  return none(`no delegation chain reaches ${agent.name} ${depthText(levels)} below an entry agent`)
}

async function anywhere(parts: RunParts, agent: AgentDefinition): Promise<DelegationChain | undefined> {
  const steps = { left: maxSteps }
  for (const entry of entriesOf(parts)) {
    for (let levels = 1; levels <= parts.limits.depth; levels++) {
      const chain = await search({ parts, agent, levels, steps }, [entry])
      if (chain !== undefined) return chain
    }
  }
  return undefined
}

/** All agents that a person may start, the entry agent first. */
function entriesOf(parts: RunParts): readonly AgentDefinition[] {
  const first = entryOf(parts)
  const others = parts.agents.list().filter((one) => one.userInvocable !== false && one.name !== first.name)
  return [first, ...others]
}

/** Many agents that can all delegate to each other have too many chains to search. */
const maxSteps = 5_000

interface Search {
  readonly parts: RunParts
  readonly agent: AgentDefinition
  readonly levels: number
  readonly steps: { left: number }
}

/** Returns the first chain with this number of levels that ends with the agent, following real delegation permissions. */
async function search(
  at: Search,
  above: DelegationChain,
  parent?: SessionSpec,
): Promise<DelegationChain | undefined> {
  const { parts, agent, levels, steps } = at
  const last = above.at(-1) as AgentDefinition
  if (last.name === agent.name || --steps.left < 0) return undefined
  const spec = await specFor(parts, { agent: last, ...(parent && { parent }) })
  if (above.length === levels) {
    const isReached = spec.targets.some((name) => nameKey(name) === nameKey(agent.name))
    return isReached ? [...above, agent] : undefined
  }
  for (const name of spec.targets) {
    const next = parts.agents.get(name)
    const chain = next && (await search(at, [...above, next], spec))
    if (chain !== undefined) return chain
  }
  return undefined
}
