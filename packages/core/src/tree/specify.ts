import type { AgentDefinition } from '../ports/agent.ts'
import type { JsonObject } from '../ports/json.ts'
import type { Knowledge, PromptPart } from '../ports/knowledge.ts'
import type { RunLimits } from '../ports/limits.ts'
import type { Ports } from '../ports/ports.ts'
import type { Notice } from '../ports/report.ts'
import type { Completion, Controls, SessionSpec, Work } from '../ports/session-spec.ts'

import { joinPrompt, promptParts } from '../session/prompt.ts'
import { delegationName, type Toolset, toolsetOf } from '../vocabulary/toolset.ts'

import { allowedTargets } from './delegation.ts'
import { type Place, placeOf } from './isolate.ts'
import { resolveModel } from './resolve-model.ts'

export interface SpecRequest {
  readonly id: string
  readonly agent: AgentDefinition
  readonly parent?: { readonly spec: SessionSpec; readonly call: string }
  /** The tree of a session without a parent; its own when absent. */
  readonly root?: string
  readonly completion: Completion
  readonly outputSchema?: JsonObject | undefined
  readonly team?: SessionSpec['team']
  readonly work: Work
  readonly history?: SessionSpec['history']
  /** The model asked for in the call or by the person; comes before what the agent prefers. */
  readonly model?: string | undefined
  readonly maxRounds?: number | undefined
  readonly timeLimit?: number | undefined
  /** Where it works, asked when all else is known; that of its parent when absent. */
  readonly place?: () => Place | Promise<Place>
  readonly delegation?: boolean
  /** For a new tree: the session that pays for it. Sessions below inherit it from their parent. */
  readonly charged?: SessionSpec['limits']['charged']
  /** Of a new tree. What is below takes those of its parent. */
  readonly controls?: Controls | undefined
}

/** A specification, and how its system prompt came about. */
export interface Specified {
  readonly spec: SessionSpec
  readonly prompt: readonly PromptPart[]
  /** Messages to the user about what the session knows. */
  readonly notices: readonly Notice[]
}

/** All that a new session is started with. Rejects with a `CadreError` when it cannot be started. */
export async function specify(ports: Ports, limits: RunLimits, request: SpecRequest): Promise<SessionSpec> {
  return (await specifyInParts(ports, limits, request)).spec
}

/** The same, with the parts of the system prompt. */
export async function specifyInParts(
  ports: Ports,
  limits: RunLimits,
  request: SpecRequest,
): Promise<Specified> {
  const { id, agent, parent, completion, outputSchema, team, work } = request
  const { id: model, insteadOf } = await resolveModel(ports, request)
  const delegation = parent?.spec.delegation ?? request.delegation ?? true
  const controls = parent === undefined ? request.controls : parent.spec.controls
  const depth = parent === undefined ? 0 : parent.spec.depth + 1
  const chain = [...(parent?.spec.chain ?? []), agent.name]
  const reachable =
    delegation && depth < limits.depth ? allowedTargets(agent, ports.agents.list(), parent === undefined) : []
  const targets = reachable.filter((target) => !chain.includes(target.name))
  const names = targets.map((target) => target.name)
  const toolset = toolsetOf({ agent, tools: ports.tools, targets: names, completion, team })
  const tool = delegationName(toolset)
  const { maxTurns, timeoutSeconds, budget } = agent.limits ?? {}
  const charged = parent === undefined ? request.charged : parent.spec.limits.charged
  const place = await placed(request)
  const { parts, notices = [] } = await informed(ports, agent, place, toolset)
  const prompt = promptParts(agent, targets, toolset, { outputSchema, known: parts })
  const spec: SessionSpec = {
    id,
    root: parent?.spec.root ?? request.root ?? id,
    agent,
    systemPrompt: prompt.length === 0 ? agent.prompt : joinPrompt(prompt),
    model,
    ...(insteadOf && { insteadOf }),
    ...(parent && { parent: { session: parent.spec.id, call: parent.call } }),
    depth,
    chain,
    targets: tool === undefined ? [] : names,
    completion,
    ...(outputSchema && { outputSchema }),
    delegation,
    limits: {
      // A person who starts a run may ask for more than is usual; a call may not.
      maxRounds: ceiling(
        request.maxRounds,
        maxTurns,
        (parent === undefined && request.maxRounds) || limits.maxRounds,
      ),
      ...(parent === undefined
        ? { run: limits }
        : {
            timeLimit: ceiling(request.timeLimit, timeoutSeconds && timeoutSeconds * 1000, limits.timeLimit),
          }),
      ...(budget && { budget }),
      ...(charged && { charged }),
    },
    ...(controls && { controls }),
    ...place,
    ...(team && { team }),
    work,
    ...(request.history && { history: request.history }),
    created: new Date(ports.clock.now()).toISOString(),
  }
  return { spec, prompt, notices }
}

/** An agent without a prompt and without tools is the plain model: it gets what the person wrote, and nothing else. */
async function informed(
  { inform }: Ports,
  agent: AgentDefinition,
  { workspace }: Place,
  toolset: Toolset,
): Promise<Knowledge> {
  const offered = toolset.names().map((name) => toolset.find(name)?.tool.name ?? name)
  if (inform === undefined || (agent.prompt === '' && offered.length === 0)) return { parts: [] }
  return inform({ agent, workspace, tools: new Set(offered) })
}

function placed({ place, parent }: SpecRequest): Place | Promise<Place> {
  if (place !== undefined) return place()
  return parent === undefined ? { workspace: '/' } : placeOf(parent.spec)
}

/** What a call asks for can lower what the agent's own definition or else the run allows, never raise it. */
function ceiling(asked: number | undefined, own: number | undefined, usual: number): number {
  return Math.min(asked ?? Number.MAX_SAFE_INTEGER, own ?? usual)
}
