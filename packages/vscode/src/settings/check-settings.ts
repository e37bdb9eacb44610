import type { Diagnostic, Located } from '@cadre/disk'
import type { Level } from '@cadre/settings-page'
import { isOldFormat, type LevelSettings, settingsKeys, settingsSection, settingsText } from './levels.ts'

export interface LevelText extends LevelSettings {
  /** The text of the file, or only the values. */
  readonly text: string
  /** True if lines of the text are lines of a file. */
  readonly isFile: boolean
  /** The name of the file in messages. */
  readonly path: string
}

export interface SettingsProblem {
  readonly level: Level
  readonly severity: 'error' | 'warning'
  readonly code: string
  /** Starts with the key path: `configuration.agents[2].name …`. */
  readonly message: string
  readonly fix?: string
  /** Set if the file is known. */
  readonly line?: number
}

export interface CheckedSettings {
  readonly problems: readonly SettingsProblem[]
  /** Levels with an older format. */
  readonly old: readonly Level[]
}

/** Returns the problems in the settings of each level. Loads the package that reads them. */
export async function checkSettings(levels: readonly LevelText[]): Promise<CheckedSettings> {
  const { readJson, readSettingsAgents } = await import('@cadre/agents')
  const problems = levels.flatMap((read): SettingsProblem[] => {
    const level = agrees(read, readJson(read).root)
      ? read
      : { ...read, text: settingsText(read.values), isFile: false }
    if (Object.keys(level.values).length === 0) return []
    // This level only names an entry agent, which files or other levels may define.
    if (level.values.agents === undefined && !isOldFormat(level.values)) return entryProblems(level, levels)
    const { diagnostics } = readSettingsAgents({ path: level.path, text: level.text })
    return diagnostics.flatMap((diagnostic) => problemOf(diagnostic, level))
  })
  const old = levels
    .filter(({ values }) => isOldFormat(values) || hasBooleans(values))
    .map(({ level }) => level)
  return { problems, old }
}

/**
 * True if the file matches what VS Code has read from it. It does not if VS Code has not read it again yet, or if it is
 * invalid: then VS Code's values are used, without lines.
 */
function agrees({ values, path }: LevelText, file: Located | undefined): boolean {
  const root = /\.code-workspace$/.test(path) ? file?.fields?.get('settings') : file
  const nested = root?.fields?.get(settingsSection)?.fields
  return settingsKeys.every((key) => {
    const field = root?.fields?.get(`${settingsSection}.${key}`) ?? nested?.get(key)
    return JSON.stringify(field?.value) === JSON.stringify(values[key])
  })
}

function problemOf(
  { severity, code, message, fix, line }: Diagnostic,
  { level, isFile, values }: LevelText,
): SettingsProblem[] {
  // VS Code itself marks keys that are not in the schema.
  if (severity === 'info' || code === 'settings-unknown-key') return []
  // Another level may set it: the first agent is used only if none does.
  if (
    code === 'settings-migrated' &&
    message.startsWith('configuration.entryAgent') &&
    values.agents !== undefined
  )
    return []
  const place = isFile && line !== undefined ? { line } : {}
  return [{ level, severity, code, message, ...(fix !== undefined && { fix }), ...place }]
}

function entryProblems(
  { level, values, text, isFile }: LevelText,
  levels: readonly LevelText[],
): SettingsProblem[] {
  const { entryAgent: entry } = values
  const used = levels.findLast((other) => other.values.agents !== undefined)
  // Chosen for agents of an outer level, which are not used here.
  if (used !== undefined && levels.indexOf(used) > levels.findIndex((other) => other.level === level))
    return []
  if (typeof entry === 'string' && (used === undefined || nameIn(used.values.agents, entry))) return []
  const index = text.split('\n').findIndex((line) => line.includes('entryAgent'))
  const message =
    typeof entry === 'string'
      ? `configuration.entryAgent names ${JSON.stringify(entry)}, but there is no such agent. Cadre uses the first agent.`
      : 'configuration.entryAgent must be the name of an agent.'
  return [
    {
      level,
      severity: 'warning',
      code: 'settings-entry',
      message,
      ...(isFile && index >= 0 && { line: index + 1 }),
    },
  ]
}

function nameIn(agents: unknown, name: string): boolean {
  return Array.isArray(agents) && agents.some((agent) => (agent as { name?: unknown } | null)?.name === name)
}

function hasBooleans({ agents }: LevelSettings['values']): boolean {
  if (!Array.isArray(agents)) return false
  return agents.some(
    (agent) =>
      typeof agent === 'object' &&
      agent !== null &&
      [agent.delegationPermissions, agent.toolPermissions].some(
        (permission) => typeof permission === 'boolean',
      ),
  )
}
