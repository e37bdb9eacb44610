import type { AgentDefinition } from '../ports/agent.ts'
import { CadreError, type ErrorCode } from '../ports/errors.ts'
import type { ModelResolution } from '../ports/model.ts'
import type { Ports } from '../ports/ports.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import { modelPreferences } from '../vocabulary/match-model.ts'

export interface ResolvedModel {
  /** `Model.id`. */
  readonly id: string
  /** Set if no model that the agent asks for is available, and the default model is used instead. */
  readonly insteadOf?: UnavailableModel
}

export type UnavailableModel = NonNullable<SessionSpec['insteadOf']>

interface ModelQuestion {
  readonly agent: AgentDefinition
  readonly parent?: { readonly spec: SessionSpec }
  /** The model that the call or the person names. */
  readonly model?: string | undefined
}

/**
 * Chooses the model: from the call, else the agent, else the parent, else the default. The first available preference of an agent applies;
 * a stand-in is used only if no other is available. If none is available, the default model is used, unless a policy forbids that. A model
 * that a person or a call names is never replaced.
 */
export async function resolveModel(
  ports: Pick<Ports, 'models'>,
  { agent, parent, model }: ModelQuestion,
): Promise<ResolvedModel> {
  const wanted = modelPreferences(model === undefined ? (agent.models ?? []) : [model])
  let first: Unknown | undefined
  let standIn: string | undefined
  for (const name of wanted) {
    if (name.toLowerCase() === 'inherit') return inheritedModel(ports, parent)
    const found = await ports.models.resolve(name)
    if (found.kind === 'found') {
      if (found.standIn === undefined) return { id: found.model.id }
      standIn ??= found.model.id
    } else first ??= { ...found, name }
  }
  if (standIn !== undefined) return { id: standIn }
  if (first === undefined) return inheritedModel(ports, parent)
  const fallback = model === undefined ? await fallbackFor(ports, first) : undefined
  if (fallback !== undefined) return fallback
  const whose = model === undefined ? ` of agent ${agent.name}` : ''
  throw new CadreError(
    codeOf(first),
    `the model ${JSON.stringify(first.name)}${whose} ${stateOf(first)}: ${reasonOf(first)}.`,
  )
}

/** Returns the default model to replace an unavailable one, or `undefined` if there is none or a policy forbids it. */
export async function fallbackFor(
  { models }: Pick<Ports, 'models'>,
  unknown: Unknown,
): Promise<ResolvedModel | undefined> {
  // A model that a policy denies is not missing.
  if (unknown.code === 'policy' || unknown.firm) return undefined
  const found = await models.resolve(undefined)
  if (found.kind === 'unknown') return undefined
  const { name } = unknown
  return { id: found.model.id, insteadOf: { name, reason: `it ${stateOf(unknown)}: ${reasonOf(unknown)}` } }
}

/** The notice for a session that runs on a different model than its agent asks for. */
export function fallbackMessage(agent: string, used: string, { name, reason }: UnavailableModel): string {
  return `${agent} asks for the model ${JSON.stringify(name)}, but ${reason}. It runs on the default model ${used} instead`
}

type Unknown = Extract<ModelResolution, { kind: 'unknown' }>

function stateOf({ code, unreachable }: Unknown): string {
  return code === 'policy' ? 'is not allowed' : unreachable ? 'cannot be used' : 'is unknown'
}

function reasonOf({ reason, nearest }: Unknown): string {
  const near = nearest.length === 0 ? '' : `. Nearest: ${nearest.join(', ')}`
  return `${reason.replace(/\.$/, '')}${near}`
}

function codeOf({ code }: Unknown): ErrorCode {
  return code ?? 'unknown_model'
}

async function inheritedModel(
  ports: Pick<Ports, 'models'>,
  parent: ModelQuestion['parent'],
): Promise<ResolvedModel> {
  if (parent !== undefined) return { id: parent.spec.model }
  const found = await ports.models.resolve(undefined)
  if (found.kind === 'found') return { id: found.model.id }
  throw new CadreError(codeOf(found), found.reason)
}
