import type { DelegateSelection } from '@cadre/core'
import type { SettingsAgent } from './check-settings-agent.ts'

/**
 * Settings need every key, and an agent from elsewhere need not have them. What stands in for a missing one is written
 * there, and its key is named here, so that it is missing again when it is read. Somebody who writes something else
 * into the key means it: then it holds.
 */
export const unsetKey = 'cadreUnset'

export type Unset = 'description' | 'useFor' | 'delegationPermissions'

/** What stands in for a missing key. An agent without targets may delegate to everybody when a person starts it. */
export function standIn(agent: { readonly name: string; readonly description: string }, isEntry: boolean) {
  const description = agent.description === '' ? agent.name : agent.description
  return { description, useFor: description, delegation: isEntry ? 'all' : 'none' } as const
}

/** The keys that are to be missing. */
export function restoreUnset(
  agent: SettingsAgent,
  delegates: DelegateSelection,
  isEntry: boolean,
): ReadonlySet<Unset> {
  const named = agent.rest.get(unsetKey)?.value
  const names: readonly unknown[] = Array.isArray(named) ? named : []
  const unset = new Set<Unset>()
  const expected = standIn(agent, isEntry)
  if (names.includes('description') && agent.description === agent.name) unset.add('description')
  if (names.includes('useFor') && agent.useFor === expected.useFor) unset.add('useFor')
  if (names.includes('delegationPermissions') && delegates.kind === expected.delegation)
    unset.add('delegationPermissions')
  return unset
}
