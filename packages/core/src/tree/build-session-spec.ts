import type { AgentDefinition } from '../ports/agent.ts'
import type { JsonObject } from '../ports/json.ts'
import type { Knowledge, PromptPart } from '../ports/knowledge.ts'
import type { RunLimits } from '../ports/limits.ts'
import type { Ports } from '../ports/ports.ts'
import type { Notice } from '../ports/report.ts'
import type { Completion, Controls, SessionSpec, Work } from '../ports/session-spec.ts'

import { joinPrompt, promptParts } from '../session/prompt.ts'
import { readTrace } from '../text/trace-context.ts'
import { delegationName, type Toolset, toolsetOf } from '../vocabulary/toolset.ts'

import { allowedTargets } from './delegation.ts'
import { type Place, sharedPlace } from './isolate.ts'
import { resolveModel } from './resolve-model.ts'

export interface SpecRequest {
  readonly id: string
  readonly agent: AgentDefinition
  readonly parent?: { readonly spec: SessionSpec; readonly call: string }
  /** The tree of a session without a parent. Default: its own. */
  readonly root?: string
  readonly completion: Completion
  readonly outputSchema?: JsonObject | undefined
  readonly team?: SessionSpec['team']
  readonly work: Work
  readonly history?: SessionSpec['history']
  /** The model that the call or the person names. Takes precedence over the agent's preferences. */
  readonly model?: string | undefined
  readonly maxRounds?: number | undefined
  readonly timeLimit?: number | undefined
  /** Chooses the workspace, after everything else is resolved. Default: the parent's. */
  readonly place?: () => Place | Promise<Place>
  readonly delegation?: boolean
  /** For a new tree: the session that pays for it. Sessions below inherit it from their parent. */
  readonly charged?: SessionSpec['limits']['charged']
  /** For a new tree. Sessions below inherit the controls of their parent. */
  readonly controls?: Controls | undefined
  /** Of a new tree, as in `SessionSpec`. What is below takes that of its parent. */
  readonly trace?: string | undefined
  /** Of a new tree, as in `SessionSpec`. */
  readonly startedBy?: string | undefined
}

/** A specification, and the parts of its system prompt. */
export interface SessionSpecResult {
  readonly spec: SessionSpec
  readonly prompt: readonly PromptPart[]
  /** Messages to the user about what the session knows. */
  readonly notices: readonly Notice[]
}

/** Specifies a new session. Rejects with a `CadreError` if it cannot be started. */
export async function buildSessionSpec(
  ports: Ports,
  limits: RunLimits,
  request: SpecRequest,
): Promise<SessionSpec> {
  return (await buildSpecWithParts(ports, limits, request)).spec
}

/** Like `buildSessionSpec`, with the parts of the system prompt. */
export async function buildSpecWithParts(
  ports: Ports,
  limits: RunLimits,
  request: SpecRequest,
): Promise<SessionSpecResult> {
  const { id, agent, parent, completion, outputSchema, team, work } = request
  const { id: model, insteadOf } = await resolveModel(ports, request)
  const delegation = parent?.spec.delegation ?? request.delegation ?? true
  const controls = parent === undefined ? request.controls : parent.spec.controls
  const { trace, startedBy } = parent === undefined ? request : parent.spec
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
  const place = await chooseWorkspace(request)
  const { parts, notices = [] } = await collectKnowledge(ports, agent, place, toolset)
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
      // A person who starts a run may exceed the default; a call may not.
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
    ...(readTrace(trace) && { trace: trace as string }),
    ...(startedBy !== undefined && { startedBy }),
    created: new Date(ports.clock.now()).toISOString(),
  }
  return { spec, prompt, notices }
}

/** An agent without a prompt and tools is the plain model, which receives only the person's text. */
async function collectKnowledge(
  { inform }: Ports,
  agent: AgentDefinition,
  { workspace }: Place,
  toolset: Toolset,
): Promise<Knowledge> {
  const offered = toolset.names().map((name) => toolset.find(name)?.tool.name ?? name)
  if (inform === undefined || (agent.prompt === '' && offered.length === 0)) return { parts: [] }
  return inform({ agent, workspace, tools: new Set(offered) })
}

function chooseWorkspace({ place, parent }: SpecRequest): Place | Promise<Place> {
  if (place !== undefined) return place()
  return parent === undefined ? { workspace: '/' } : sharedPlace(parent.spec)
}

/** A call can lower the limit of the agent or the run, but never raise it. */
function ceiling(asked: number | undefined, own: number | undefined, fallback: number): number {
  return Math.min(asked ?? Number.MAX_SAFE_INTEGER, own ?? fallback)
}
