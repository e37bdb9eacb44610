import type { DelegateSelection } from '@cadre/core'
import type { SettingsAgent } from './check-settings-agent.ts'

/**
 * Settings require every key, but an agent from another dialect may lack some. A placeholder is written instead, and its
 * key is listed here, so that it is absent again when read. If the value was changed, it applies.
 */
export const unsetKey = 'cadreUnset'

export type UnsetKey = 'description' | 'useFor' | 'delegationPermissions'

/** Returns the placeholder of a missing key. An agent without targets may delegate to every agent if a person starts it. */
export function placeholderFor(
  agent: { readonly name: string; readonly description: string },
  isEntry: boolean,
) {
  const description = agent.description === '' ? agent.name : agent.description
  return { description, useFor: description, delegation: isEntry ? 'all' : 'none' } as const
}

/** Returns the keys to treat as absent. */
export function restoreUnset(
  agent: SettingsAgent,
  delegates: DelegateSelection,
  isEntry: boolean,
): ReadonlySet<UnsetKey> {
  const named = agent.rest.get(unsetKey)?.value
  const names: readonly unknown[] = Array.isArray(named) ? named : []
  const unset = new Set<UnsetKey>()
  const expected = placeholderFor(agent, isEntry)
  if (names.includes('description') && agent.description === agent.name) unset.add('description')
  if (names.includes('useFor') && agent.useFor === expected.useFor) unset.add('useFor')
  if (names.includes('delegationPermissions') && delegates.kind === expected.delegation)
    unset.add('delegationPermissions')
  return unset
}
