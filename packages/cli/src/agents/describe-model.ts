import { type AgentDefinition, CadreError } from '@cadre/core'
import type { Parts } from '../runtime/load-parts.ts'
import type { ModelView } from './agent-view.ts'
import type { KeyPlaces } from './key-places.ts'
import { specFor } from './spec-for.ts'

/** The model a session of the agent would run on, and who chose it. */
export async function describeModel(
  agent: AgentDefinition,
  parts: Parts,
  places: KeyPlaces,
): Promise<ModelView> {
  const preferences = agent.models ?? []
  const from = preferences.length > 0 ? places.of(['model', 'models']) : parts.modelFrom
  try {
    const { model } = await specFor(parts, { agent, models: parts.models })
    return { preferences, used: model, from }
  } catch (error) {
    if (!(error instanceof CadreError)) throw error
    return { preferences, problem: error.message, from }
  }
}
