import { plainKey } from '@cadre/agents'
import { type AgentDefinition, CadreError } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import { artifactOf } from '@cadre/gate'
import { assistant } from '../assistant.ts'
import type { RunParts } from '../run-parts.ts'
import type { AgentView, BoundaryView, ModelView } from './agent-view.ts'
import { describeLimits } from './describe-limits.ts'
import { describeTargets } from './describe-targets.ts'
import { describeTools } from './describe-tools.ts'
import { fileOf } from './file-of.ts'
import { type KeyLocations, keyLocations } from './key-locations.ts'
import { specFor } from './spec-for.ts'

/** Describes one agent, with the values that the engine would use. */
export async function describeAgent(
  agent: AgentDefinition,
  parts: RunParts,
  cwd: string,
): Promise<AgentView> {
  const { registry, tools, enforced } = parts
  const places = keyLocations(agent, cwd)
  const entry = await specFor(parts, { agent })
  const parent = await specFor(parts, { agent: { ...assistant, delegates: { kind: 'all' } } })
  const delegated = await specFor(parts, { agent, parent })
  const targets = entry.targets.length > 0 ? entry.targets : delegated.targets
  const file = fileOf(agent, registry.loaded().files)
  const { offered, ...others } = describeTools({ agent, tools, targets, places })
  const refused = enforced.refuse(agent.userInvocable === false ? delegated : entry)?.message
  return {
    name: agent.name,
    description: agent.description,
    source: agent.source ?? { path: 'built-in', dialect: 'built-in' },
    status: file?.status ?? 'ok',
    shadows: file?.shadows ?? [],
    ...(refused !== undefined && { refused }),
    userInvocable: {
      value: agent.userInvocable !== false,
      from: places.of(['userinvocable', 'userinvokable', 'hidden']),
    },
    modelInvocable: {
      value: agent.modelInvocable !== false,
      from: places.of(['disablemodelinvocation', 'infer', 'mode']),
    },
    tools: offered,
    ...others,
    boundary: describeBoundary(agent, places),
    targets: describeTargets({ agent, parts, places, entry, delegated }),
    model: await describeModel(agent, parts, places),
    limits: describeLimits({ agent, parts, delegated, places }),
    isolation: { value: agent.isolation ?? 'shared', from: places.of(['isolation', 'forkcontext']) },
    background: { value: agent.background === true, from: places.of(['background', 'isbackground']) },
    requiredSections: { value: agent.requiredSections ?? [], from: places.of(['requiredsections']) },
    handoffs: (agent.handoffs ?? []).map((handoff, index) => ({
      label: handoff.label,
      agent: handoff.agent,
      send: handoff.send === true,
      exists: registry.get(handoff.agent) !== undefined,
      from: places.within(['handoffs'], index),
    })),
    hooks: { value: keysIn(agent.hooks), from: places.of(['hooks']) },
    // Only their names, because their settings can be secret.
    mcpServers: { value: keysIn(agent.mcpServers), from: places.of(['mcpservers', 'mcp']) },
    unknown: Object.keys(agent.unknown ?? {}).map((key) => ({
      value: key,
      from: places.of([plainKey(key)]),
    })),
    diagnostics: (file?.diagnostics ?? []).map(showDiagnostic),
  }
}

function keysIn(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
}

/** The boundary of an agent, and where its file sets it. */
function describeBoundary(agent: AgentDefinition, places: KeyLocations): BoundaryView {
  const { writes, commands } = agent.boundary ?? {}
  const from = (key: string) => places.within(['metadata', key.replaceAll('-', '')], key)
  const placed = <T extends string>(value: T | undefined, key: string) =>
    value === undefined
      ? ({ value: 'free', from: 'default' } as const)
      : ({ value, from: from(key) } as const)
  return {
    writes: placed(writes, 'cadre-writes'),
    commands: placed(commands, 'cadre-commands'),
    ...(writes === 'artifact' && { artifact: artifactOf(agent) }),
  }
}

/**
 * The model that a session of the agent would use, and who chose it. In sessions that a person starts, the person's choice
 * takes precedence over the agent's.
 */
async function describeModel(
  agent: AgentDefinition,
  parts: RunParts,
  places: KeyLocations,
): Promise<ModelView> {
  const preferences = agent.models ?? []
  const asked = agent.userInvocable === false ? undefined : parts.model
  const isOwn = asked === undefined && preferences.length > 0
  const from = isOwn ? places.of(['model', 'models']) : parts.modelFrom
  try {
    const { model, insteadOf } = await specFor(parts, { agent, models: parts.models, model: asked })
    const found = await parts.models.resolve(model)
    const warning = found.kind === 'found' ? found.warning : undefined
    return {
      preferences,
      used: model,
      ...(insteadOf && { insteadOf: insteadOf.name }),
      ...(warning !== undefined && { warning }),
      from,
    }
  } catch (error) {
    if (!(error instanceof CadreError)) throw error
    return { preferences, problem: error.message, from }
  }
}
