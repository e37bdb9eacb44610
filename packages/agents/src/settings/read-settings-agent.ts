import type { AgentDefinition, DelegateSelection, Json } from '@cadre/core'
import type { Located } from '@cadre/disk'
import { findUnreadRestrictions } from '../header/find-unread-restrictions.ts'
import { isKnownKey, plainKey } from '../header/known-keys.ts'
import { readDefinition } from '../load/read-definition.ts'
import type { SettingsAgent } from './check-settings-agent.ts'
import type { TaggedNames } from './read-tagged.ts'
import type { SettingsReport } from './settings-report.ts'
import { restoreUnset, unsetKey } from './unset.ts'

export interface SettingsAgentRequest {
  readonly agent: SettingsAgent
  readonly delegates: DelegateSelection
  readonly isEntry: boolean
}

/** Already reported, with the path of the key. */
const reportedKeys = new Set(['description-missing', 'prompt-missing'])
/** Keys with their own spelling in settings; other spellings are unknown keys. */
const ownSpellings = new Set(['name', 'description', 'usefor', 'prompt', 'tools', 'agents'])

/**
 * Creates a definition from one agent of the settings. Other keys are read as in every other dialect, so that an agent can
 * be written to settings and back without loss.
 */
export function readSettingsAgent(
  request: SettingsAgentRequest,
  report: SettingsReport,
): AgentDefinition | undefined {
  const { agent } = request
  const { place, prompt, rest } = agent
  const plain = (key: string) => key.toLowerCase().replaceAll(/[-_]/g, '')
  const others = [...rest].filter(([key, { items }]) => key !== unsetKey || items === undefined)
  const entries = [...ownFields(request), ...others.filter(([key]) => !ownSpellings.has(plain(key)))].map(
    ([written, field]) => ({ written, field }),
  )
  const read = readDefinition({
    path: report.file,
    dialect: 'settings',
    line: place.line,
    prompt,
    entries,
    unseen: findUnreadRestrictions({ lines: [], firstLine: place.line, entries, isLooseLine: () => false }),
  })
  for (const diagnostic of read.diagnostics) {
    if (reportedKeys.has(diagnostic.code)) continue
    const { message } = diagnostic
    report.diagnostics.push({
      ...diagnostic,
      message: `${place.path}: ${message}`,
      at: place.path,
      fault: message,
    })
  }
  if (read.agent === undefined) return undefined
  const unknown = {
    ...read.agent.unknown,
    ...Object.fromEntries(
      others.flatMap(([key, { value }]) => (ownSpellings.has(plain(key)) ? [[key, value]] : [])),
    ),
  }
  for (const key of Object.keys(unknown)) {
    // Keys of other programs, such as a hint for people, are not an error.
    if (isKnownKey(plainKey(key)) && !ownSpellings.has(plain(key))) continue
    const line = rest.get(key)?.line ?? place.line
    report.warning({ path: `${place.path}.${key}`, line }, 'settings-unknown-key', {
      fault: 'is an unknown key',
      effect: 'Cadre keeps it',
    })
  }
  const kept = {
    ...unknown,
    ...partsOf('toolPermissions', agent.tools),
    ...partsOf('delegationPermissions', agent.delegation),
  }
  const { unknown: _, ...definition } = read.agent
  return Object.keys(kept).length === 0 ? definition : { ...definition, unknown: kept }
}

function ownFields({ agent, delegates, isEntry }: SettingsAgentRequest): [string, Located][] {
  const { place, name, tools } = agent
  const at = (value: Json): Located => ({ line: place.line, value })
  const unset = restoreUnset(agent, delegates, isEntry)
  const fields: [string, Located][] = [['name', at(name)]]
  if (!unset.has('description')) fields.push(['description', at(agent.description)])
  if (agent.useFor !== undefined && !unset.has('useFor')) fields.push(['use-for', at(agent.useFor)])
  if (tools.kind !== 'all') fields.push(['tools', list([...tools.names.keys()], tools.line)])
  if (!unset.has('delegationPermissions')) {
    const targets = delegates.kind === 'all' ? ['*'] : delegates.kind === 'none' ? [] : delegates.names
    fields.push(['agents', list(targets, agent.delegation.line)])
  }
  return fields
}

function list(names: readonly string[], line: number): Located {
  return { line, value: names, items: names.map((value) => ({ line, value })) }
}

function partsOf(key: string, { rest }: TaggedNames): { readonly [key: string]: Json } {
  return rest === undefined ? {} : { [key]: rest }
}
