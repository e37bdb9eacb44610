import {
  type AgentDefinition,
  type DelegateSelection,
  isObject,
  type Json,
  type JsonObject,
} from '@cadre/core'
import { readSettingsAgents } from '../settings/read-settings.ts'
import { placeholderFor, type UnsetKey, unsetKey } from '../settings/unset.ts'
import { optionalEntry } from './access-keys.ts'
import { withBoundary } from './boundary-keys.ts'
import { spellKey } from './dialect-facts.ts'
import { definitionDifferences } from './differences.ts'
import { preservedKeysKey } from './kept-keys.ts'
import { invocationKeys, workKeys } from './other-keys.ts'

/** Converts one agent to its settings value, without validation. */
export function settingsAgentValue(agent: AgentDefinition, isEntry: boolean): JsonObject {
  const { name, description, useFor, prompt, tools, delegates } = agent
  const absent = placeholderFor(agent, isEntry)
  const unset: UnsetKey[] = [
    ...(description === '' ? ['description' as const] : []),
    ...(useFor === undefined ? ['useFor' as const] : []),
    ...(delegates === undefined ? ['delegationPermissions' as const] : []),
  ]
  const { toolPermissions, delegationPermissions, ...unknown } = agent.unknown ?? {}
  const targets = permission(delegates ?? { kind: absent.delegation }, 'agents', delegationPermissions)
  const uses = permission(tools, 'tools', toolPermissions)
  const others = Object.entries({ ...unknown, ...targets.rest, ...uses.rest })
  const plain = others.filter((other) => survives(agent.name, other))
  const moved = others.filter((other) => !plain.includes(other))
  return Object.fromEntries([
    ['name', name],
    ['systemPrompt', prompt],
    ['description', absent.description],
    ['useFor', useFor ?? absent.useFor],
    ['delegationPermissions', targets.value],
    ['toolPermissions', uses.value],
    ...optionalEntry('type', agent.type),
    ...optionalEntry('disallowedTools', agent.disallowedTools),
    ...optionalEntry(
      'permissions',
      agent.permissions?.map((rule) => ({ ...rule })),
    ),
    ...workKeys(agent, 'settings'),
    ...invocationKeys(agent, 'settings'),
    ...withBoundary(plain, agent.boundary),
    ...optionalEntry(
      spellKey(preservedKeysKey, 'settings'),
      moved.length === 0 ? undefined : Object.fromEntries(moved),
    ),
    ...optionalEntry(unsetKey, unset.length === 0 ? undefined : unset),
  ])
}

/** Includes unknown parts of a permission, where they fit. */
function permission(
  selection: DelegateSelection,
  key: 'agents' | 'tools',
  parts: Json | undefined,
): { readonly value: JsonObject; readonly rest: JsonObject } {
  const names = selection.kind === 'list' ? selection.names : []
  const isList = names.length > 0
  const value = isList
    ? { type: 'specific', [key]: names }
    : { type: selection.kind === 'list' ? 'none' : selection.kind }
  if (parts === undefined) return { value, rest: {} }
  if (
    isObject(parts) &&
    !Object.keys(value).some((own) => Object.hasOwn(parts, own)) &&
    Object.keys(parts).length > 0
  )
    return { value: { ...value, ...parts }, rest: {} }
  return { value, rest: { [key === 'agents' ? 'delegationPermissions' : 'toolPermissions']: parts } }
}

/** True if an unknown key keeps its meaning in settings. */
function survives(name: string, other: readonly [string, Json]): boolean {
  const bare: AgentDefinition = {
    name,
    description: 'x',
    useFor: 'x',
    prompt: 'x',
    tools: { kind: 'all' },
    delegates: { kind: 'none' },
  }
  const own = settingsAgentValue(bare, true)
  if (Object.hasOwn(own, other[0]) || other[0] === unsetKey) return false
  const text = JSON.stringify({ agents: [Object.fromEntries([...Object.entries(own), other])] })
  const [read] = readSettingsAgents({ path: 'agents.json', text }).agents
  return definitionDifferences({ ...bare, unknown: Object.fromEntries([other]) }, read?.agent).length === 0
}
