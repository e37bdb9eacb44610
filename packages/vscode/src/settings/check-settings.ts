import type { Diagnostic, Located } from '@cadre/disk'
import type { Level } from '@cadre/settings-page'
import { isOldForm, type LevelSettings, section, settingsKeys, settingsText } from './levels.ts'

export interface LevelText extends LevelSettings {
  /** Of the file, or of the values alone. */
  readonly text: string
  /** Whether lines of the text are lines of a file. */
  readonly isFile: boolean
  /** What messages call the file. */
  readonly path: string
}

export interface SettingsProblem {
  readonly level: Level
  readonly severity: 'error' | 'warning'
  readonly code: string
  /** Begins with the path of keys: `configuration.agents[2].name …`. */
  readonly message: string
  readonly fix?: string
  /** Only where the file is known. */
  readonly line?: number
}

export interface CheckedSettings {
  readonly problems: readonly SettingsProblem[]
  /** Levels that are written in an older form. */
  readonly old: readonly Level[]
}

/** What is wrong with the settings of each level. Loads the package that reads them. */
export async function checkSettings(levels: readonly LevelText[]): Promise<CheckedSettings> {
  const { readJson, readSettingsAgents } = await import('@cadre/agents')
  const problems = levels.flatMap((read): SettingsProblem[] => {
    const level = agrees(read, readJson(read).root)
      ? read
      : { ...read, text: settingsText(read.values), isFile: false }
    if (Object.keys(level.values).length === 0) return []
    // Only an entry agent: which agents there are is for files, and for other levels, to say.
    if (level.values.agents === undefined && !isOldForm(level.values)) return entryProblems(level, levels)
    const { diagnostics } = readSettingsAgents({ path: level.path, text: level.text })
    return diagnostics.flatMap((diagnostic) => problemOf(diagnostic, level))
  })
  const old = levels
    .filter(({ values }) => isOldForm(values) || hasBooleans(values))
    .map(({ level }) => level)
  return { problems, old }
}

/**
 * Whether the file says what VS Code has read from it. It does not while VS Code has yet to read it again, or where it is broken: then
 * what VS Code has read counts, and no line can be named.
 */
function agrees({ values, path }: LevelText, file: Located | undefined): boolean {
  const root = /\.code-workspace$/.test(path) ? file?.fields?.get('settings') : file
  const nested = root?.fields?.get(section)?.fields
  return settingsKeys.every((key) => {
    const field = root?.fields?.get(`${section}.${key}`) ?? nested?.get(key)
    return JSON.stringify(field?.value) === JSON.stringify(values[key])
  })
}

function problemOf(
  { severity, code, message, fix, line }: Diagnostic,
  { level, isFile, values }: LevelText,
): SettingsProblem[] {
  // VS Code itself marks keys that the schema does not have.
  if (severity === 'info' || code === 'settings-unknown-key') return []
  // Unset at this level, another one may have it: then the first agent is used only if none has.
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
  // Chosen for the agents of an outer level, which are not used here.
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
