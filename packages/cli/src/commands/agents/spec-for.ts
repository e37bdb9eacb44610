import {
  type AgentDefinition,
  boundSession,
  type Models,
  type Ports,
  type SessionSpec,
  specify,
} from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { sessionIds } from '@cadre/home'
import type { RunParts } from '@cadre/runtime'

export interface SpecOptions {
  readonly agent: AgentDefinition
  /** The session that starts it; absent when a person does. */
  readonly parent?: SessionSpec
  /** Absent: whatever it is called, a model is found. Then only what is wrong with models keeps it from being specified. */
  readonly models?: Models
  /** The model a person names. */
  readonly model?: string | undefined
}

/** The specification a session would start with, made by what the engine makes it with. Nothing is started. */
export async function specFor(
  parts: RunParts,
  { agent, parent, models = anyModel, model }: SpecOptions,
): Promise<SessionSpec> {
  const { agents, tools, limits, enforced, policy } = parts
  const engine = new Proxy({} as Ports['engine'], { get: neverAsked })
  const ports = { engine, models, agents, tools, clock: systemClock, ids: sessionIds, emit: () => {} }
  const spec = await specify(ports, limits, {
    id: agent.name,
    agent,
    completion: 'text',
    work: { content: '' },
    delegation: policy.subagents,
    model,
    ...(parent && { parent: { spec: parent, call: '-' } }),
  })
  return boundSession(spec, enforced.ceilings)
}

const anyModel: Models = {
  resolve: async (name) => ({ kind: 'found', model: { id: name ?? 'default', reply: neverAsked } }),
}

function neverAsked(): never {
  throw new Error('unreachable: nothing is run to describe an agent')
}
