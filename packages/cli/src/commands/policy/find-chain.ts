import { type AgentDefinition, nameKey, type SessionSpec } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import type { RunParts } from '@cadre/runtime'
import { entryAgent } from '@cadre/runtime'
import { agentNamed } from '../agents/agent-named.ts'
import { specFor } from '../agents/spec-for.ts'
import type { Depth } from './depth.ts'

/** From the entry agent down to the one that makes the call. */
export type Chain = readonly [AgentDefinition, ...AgentDefinition[]]

export type FoundChain =
  | { readonly kind: 'chain'; readonly chain: Chain }
  /** No run comes to that. */
  | { readonly kind: 'none'; readonly agent: AgentDefinition; readonly reason: string }

export interface ChainRequest {
  /** Absent: the agent that a run starts with. */
  readonly agent?: string | undefined
  readonly depth?: Depth | undefined
}

/**
 * Who would be above an agent. Chains that are named are taken as they are: whether they can come about is for the gate to say.
 * Otherwise one is looked for, the run's own entry agent first. One that people may not start is looked for below others.
 * Throws for an agent that is not there.
 */
export async function findChain(
  parts: RunParts,
  { agent: wanted, depth }: ChainRequest,
): Promise<FoundChain> {
  const agent = wanted === undefined ? entryOf(parts) : agentNamed(parts.registry, wanted)
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

function below({ registry }: RunParts, names: readonly string[], agent: AgentDefinition): Chain {
  const above = names.map((name) => agentNamed(registry, name))
  // Nobody stands below itself: a chain that ends with the agent was meant to end there.
  if (above.at(-1)?.name === agent.name) above.pop()
  return [...above, agent] as unknown as Chain
}

async function atLevel(parts: RunParts, agent: AgentDefinition, levels: number): Promise<FoundChain> {
  if (levels === 0) return { kind: 'chain', chain: [agent] }
  const none = (reason: string): FoundChain => ({ kind: 'none', agent, reason })
  const { depth } = parts.limits
  if (levels > depth)
    return none(
      `the maximum depth of delegation is ${depth}, so ${agent.name} is never ${levels} below an entry agent`,
    )
  const steps = { left: mostSteps }
  for (const entry of entriesOf(parts)) {
    const chain = await search({ parts, agent, levels, steps }, [entry])
    if (chain !== undefined) return { kind: 'chain', chain }
  }
  return none(`no chain of delegations reaches ${agent.name} ${levels} below an entry agent`)
}

async function anywhere(parts: RunParts, agent: AgentDefinition): Promise<Chain | undefined> {
  const steps = { left: mostSteps }
  for (const entry of entriesOf(parts)) {
    for (let levels = 1; levels <= parts.limits.depth; levels++) {
      const chain = await search({ parts, agent, levels, steps }, [entry])
      if (chain !== undefined) return chain
    }
  }
  return undefined
}

/** Everybody a person may start, the one that starts by itself first. */
function entriesOf(parts: RunParts): readonly AgentDefinition[] {
  const first = entryOf(parts)
  const others = parts.agents.list().filter((one) => one.userInvocable !== false && one.name !== first.name)
  return [first, ...others]
}

/** With many agents that may all start each other there are more chains than anybody wants to wait for. */
const mostSteps = 5_000

interface Search {
  readonly parts: RunParts
  readonly agent: AgentDefinition
  readonly levels: number
  readonly steps: { left: number }
}

/** The first chain of so many levels that ends with the agent, by whom each session would really be offered. */
async function search(at: Search, above: Chain, parent?: SessionSpec): Promise<Chain | undefined> {
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
