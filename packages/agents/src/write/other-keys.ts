import type { AgentDefinition, Json } from '@cadre/core'
import { type Entries, optionalEntry } from './access-keys.ts'
import { type FileDialect, spellKey, type TargetDialect } from './dialect-facts.ts'

/** Name and purpose. */
export function identityKeys(agent: AgentDefinition, dialect: FileDialect): Entries {
  const { name, description, useFor, type } = agent
  return [
    [dialect === 'template' ? 'id' : 'name', name],
    ...optionalEntry('description', description === '' ? undefined : description),
    ...optionalEntry(spellKey('use-for', dialect), useFor),
    ...optionalEntry('type', type),
  ]
}

/** Who may start it, also first in the form of the host. */
export function invocationForms(agent: AgentDefinition, dialect: FileDialect): readonly Entries[] {
  const { userInvocable, modelInvocable } = agent
  const plain = invocationKeys(agent, dialect)
  if (dialect !== 'opencode' || (userInvocable !== false && modelInvocable !== false)) return [plain]
  const native = [
    ...(modelInvocable === false ? [['mode', 'primary'] as const] : []),
    ...(userInvocable === false ? [['hidden', true] as const] : []),
  ]
  const said = {
    ...agent,
    userInvocable: userInvocable === false ? undefined : userInvocable,
    modelInvocable: modelInvocable === false ? undefined : modelInvocable,
  } as AgentDefinition
  return [[...native, ...invocationKeys(said, dialect)], plain]
}

export function invocationKeys(
  { userInvocable, modelInvocable }: AgentDefinition,
  dialect: TargetDialect,
): Entries {
  return [
    ...optionalEntry(spellKey('user-invocable', dialect), userInvocable),
    ...optionalEntry(
      spellKey('disable-model-invocation', dialect),
      modelInvocable === undefined ? undefined : !modelInvocable,
    ),
  ]
}

/** All other parts of a definition, under keys that every dialect reads. */
export function workKeys(agent: AgentDefinition, dialect: TargetDialect): Entries {
  const { models, limits, handoffs, isolation } = agent
  const own = (key: string, value: Json | undefined) => optionalEntry(spellKey(key, dialect), value)
  return [
    ...modelKeys(models, dialect),
    ...own(dialect === 'opencode' ? 'steps' : 'max-turns', limits?.maxTurns),
    ...own('timeout', limits?.timeoutSeconds),
    ...own('budget', limits?.budget === undefined ? undefined : { ...limits.budget }),
    ...own('required-sections', agent.requiredSections),
    ...own(
      'handoffs',
      handoffs?.map((handoff) => ({ ...handoff })),
    ),
    ...own('isolation', dialect === 'claude' && isolation === 'workspace' ? 'worktree' : isolation),
    ...own('background', agent.background),
    ...own('hooks', agent.hooks),
    ...own('mcp-servers', agent.mcpServers),
  ]
}

/** Some hosts reject a file with a list under `model`. */
function modelKeys(models: readonly string[] | undefined, dialect: TargetDialect): Entries {
  if (models === undefined) return []
  if (models.length === 1) return [['model', models[0] as string]]
  return [[dialect === 'claude' || dialect === 'opencode' ? 'models' : 'model', models]]
}
