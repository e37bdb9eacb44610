import type { AgentDefinition } from './agent.ts'
import { allowedTargets } from './delegation.ts'
import { CadreError } from './errors.ts'
import type { RunLimits } from './limits.ts'
import type { Ports } from './ports.ts'
import { systemPrompt } from './prompt.ts'
import type { Completion, SessionSpec, Work } from './session-spec.ts'
import { delegationName, toolsetOf } from './toolset.ts'

export interface SpecRequest {
  readonly id: string
  readonly agent: AgentDefinition
  readonly parent?: { readonly spec: SessionSpec; readonly call: string }
  readonly completion: Completion
  readonly work: Work
  readonly history?: SessionSpec['history']
  /** The model asked for in the call or by the person; comes before what the agent prefers. */
  readonly model?: string | undefined
  readonly maxRounds?: number | undefined
  readonly timeLimit?: number | undefined
  readonly workspace?: string
  readonly delegation?: boolean
}

/** All that a new session is started with. Rejects with a `CadreError` when it cannot be started. */
export async function specify(ports: Ports, limits: RunLimits, request: SpecRequest): Promise<SessionSpec> {
  const { id, agent, parent, completion, work } = request
  const model = await resolveModel(ports, request)
  const delegation = parent?.spec.delegation ?? request.delegation ?? true
  const depth = parent === undefined ? 0 : parent.spec.depth + 1
  const chain = [...(parent?.spec.chain ?? []), agent.name]
  const reachable =
    delegation && depth < limits.depth ? allowedTargets(agent, ports.agents.list(), parent === undefined) : []
  const targets = reachable.filter((target) => !chain.includes(target.name))
  const names = targets.map((target) => target.name)
  const toolset = toolsetOf({ agent, tools: ports.tools, targets: names, completion })
  const tool = delegationName(toolset)
  const time =
    request.timeLimit ??
    (agent.limits?.timeoutSeconds === undefined ? limits.timeLimit : agent.limits.timeoutSeconds * 1000)
  const maxRounds = request.maxRounds ?? agent.limits?.maxTurns ?? limits.maxRounds
  return {
    id,
    root: parent?.spec.root ?? id,
    agent,
    systemPrompt: systemPrompt(agent, targets, tool),
    model,
    ...(parent && { parent: { session: parent.spec.id, call: parent.call } }),
    depth,
    chain,
    targets: tool === undefined ? [] : names,
    completion,
    delegation,
    limits: {
      // What a call asks for can lower what the agent's own definition allows, never raise it.
      maxRounds: Math.min(maxRounds, agent.limits?.maxTurns ?? Number.MAX_SAFE_INTEGER),
      ...(parent === undefined ? { run: limits } : { timeLimit: time }),
      ...(agent.limits?.budget && { budget: agent.limits.budget }),
    },
    workspace: parent?.spec.workspace ?? request.workspace ?? '/',
    work,
    ...(request.history && { history: request.history }),
    created: new Date(ports.clock.now()).toISOString(),
  }
}

/** Call, then agent, then parent, then default. An unknown name is an error that names the nearest ones. */
async function resolveModel(ports: Ports, { agent, parent, model }: SpecRequest): Promise<string> {
  const inherit = parent?.spec.model
  const wanted = model !== undefined ? [model] : (agent.models ?? [])
  let first: { name: string; reason: string } | undefined
  for (const name of wanted) {
    if (name.toLowerCase() === 'inherit') break
    const found = await ports.models.resolve(name)
    if (found.kind === 'found') return found.model.id
    const nearest = found.nearest.length === 0 ? '' : `; nearest: ${found.nearest.join(', ')}`
    first ??= { name, reason: `${found.reason.replace(/\.$/, '')}${nearest}` }
  }
  if (first !== undefined) {
    const whose = model === undefined ? `the agent ${agent.name} wants` : 'asked for'
    throw new CadreError(
      'unknown_model',
      `the model ${JSON.stringify(first.name)} ${whose} is not known: ${first.reason}`,
    )
  }
  if (inherit !== undefined) return inherit
  const found = await ports.models.resolve(undefined)
  if (found.kind === 'found') return found.model.id
  throw new CadreError('unknown_model', found.reason)
}
