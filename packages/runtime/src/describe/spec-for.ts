import {
  type AgentDefinition,
  applyCeilings,
  buildSpecWithParts,
  type Models,
  type Ports,
  type SessionSpec,
  type SessionSpecResult,
} from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { sessionIds } from '@cadre/home'
import type { RunParts } from '../run-parts.ts'

export interface SpecOptions {
  readonly agent: AgentDefinition
  /** The session that starts it; absent if a person does. */
  readonly parent?: SessionSpec
  /** Absent: every model name is accepted, so models cannot make the specification fail. */
  readonly models?: Models
  /** The model that a person names. */
  readonly model?: string | undefined
  /** The working folder. Absent: knowledge is omitted. */
  readonly workspace?: string
}

/** Returns the specification of a session, made by the engine. Starts nothing. */
export async function specFor(parts: RunParts, options: SpecOptions): Promise<SessionSpec> {
  return applyCeilings((await specWithParts(parts, options)).spec, parts.enforced.ceilings)
}

/** The same, with the parts of the system prompt. */
export async function specWithParts(
  parts: RunParts,
  { agent, parent, models = anyModel, model, workspace }: SpecOptions,
): Promise<SessionSpecResult> {
  const { agents, tools, limits, policy, knowledge } = parts
  const engine = new Proxy({} as Ports['engine'], { get: failIfAsked })
  const inform = workspace === undefined ? undefined : knowledge?.inform
  const ports = {
    engine,
    models,
    agents,
    tools,
    clock: systemClock,
    ids: sessionIds,
    emit: () => {},
    ...(inform && { inform }),
  }
  return buildSpecWithParts(ports, limits, {
    id: agent.name,
    agent,
    completion: 'text',
    work: { content: '' },
    delegation: policy.subagents,
    model,
    ...(workspace !== undefined && { place: () => ({ workspace }) }),
    ...(parent && { parent: { spec: parent, call: '-' } }),
  })
}

const anyModel: Models = {
  resolve: async (name) => ({ kind: 'found', model: { id: name ?? 'default', reply: failIfAsked } }),
}

function failIfAsked(): never {
  throw new Error('unreachable: a model was called to describe an agent')
}
