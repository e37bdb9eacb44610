import { type AgentDefinition, CadreError } from '@cadre/core'
import type { RunParts } from '@cadre/runtime'
import type { ModelView } from './agent-view.ts'
import type { KeyPlaces } from './key-places.ts'
import { specFor } from './spec-for.ts'

/**
 * The model a session of the agent would run on, and who chose it. What a person names comes before what an agent prefers,
 * in sessions that a person starts.
 */
export async function describeModel(
  agent: AgentDefinition,
  parts: RunParts,
  places: KeyPlaces,
): Promise<ModelView> {
  const preferences = agent.models ?? []
  const asked = agent.userInvocable === false ? undefined : parts.model
  const isOwn = asked === undefined && preferences.length > 0
  const from = isOwn ? places.of(['model', 'models']) : parts.modelFrom
  try {
    const { model } = await specFor(parts, { agent, models: parts.models, model: asked })
    return { preferences, used: model, from }
  } catch (error) {
    if (!(error instanceof CadreError)) throw error
    return { preferences, problem: error.message, from }
  }
}
