import type { EditorSettings } from '@cadre/agents'
import type { Level } from '@cadre/settings-page'

export const settingsSection = 'copilotMultiAgent'

/** The current keys, then those of older versions. */
export const settingsKeys = ['entryAgent', 'agents', 'coordinator', 'customAgents'] as const
export type SettingsKey = (typeof settingsKeys)[number]

/** The values of one settings level; missing keys are absent. */
export interface LevelSettings {
  readonly level: Level
  readonly values: { readonly [Key in SettingsKey]?: unknown }
}

/** The built-in team that answers if no agents are defined. */
export const defaultTeam = 'coordinator'

export function definesAgents({ values }: LevelSettings): boolean {
  return values.agents !== undefined || isOldFormat(values)
}

export function isOldFormat(values: LevelSettings['values']): boolean {
  return (
    values.agents === undefined && (values.coordinator !== undefined || values.customAgents !== undefined)
  )
}

/** The level whose agents are used: the innermost that defines any. Levels are ordered from the outermost. */
export function effectiveLevel(levels: readonly LevelSettings[]): LevelSettings | undefined {
  return levels.findLast(definesAgents)
}

/**
 * The effective settings for the runtime. Lists of agents are never merged: the innermost level that defines agents
 * provides all of them. An entry agent of an outer level applies only if an agent has that name.
 */
export function effectiveSettings(levels: readonly LevelSettings[]): EditorSettings {
  const used = effectiveLevel(levels)
  const chosen = levels.findLast(({ values }) => values.entryAgent !== undefined)
  const entry = chosen?.values.entryAgent
  const path = 'VS Code settings'
  if (used === undefined) {
    const named = typeof entry === 'string' ? { entry } : {}
    return { path, text: '{}', team: defaultTeam, ...named }
  }
  const { entryAgent: _, ...own } = used.values
  const isOuter = chosen !== undefined && levels.indexOf(chosen) < levels.indexOf(used)
  const counts = entry !== undefined && (!isOuter || names(used.values).includes(entry))
  return { path, text: settingsText({ ...own, ...(counts && { entryAgent: entry }) }), team: defaultTeam }
}

/** As text of a settings file. */
export function settingsText(values: LevelSettings['values']): string {
  const dotted = Object.entries(values).map(([key, value]) => [`${settingsSection}.${key}`, value])
  return JSON.stringify(Object.fromEntries(dotted), null, 2)
}

function names({ agents, coordinator, customAgents }: LevelSettings['values']): unknown[] {
  const list = Array.isArray(agents)
    ? agents
    : [coordinator, ...(Array.isArray(customAgents) ? customAgents : [])]
  return list.map((agent) => (agent as { name?: unknown } | null | undefined)?.name)
}
