import type { SettingsDiagnostic } from '@cadre/agents'
import type { JsonObject } from '@cadre/core'
import type { Agent, Configuration, Permission, Problem } from '@cadre/settings-page'
import { definesAgents, type LevelSettings, settingsText } from './levels.ts'

/**
 * The agents of a level as the page edits them: in the current format, with all fields. Invalid items, such as a number
 * instead of an agent, are omitted. `undefined` if the level defines none.
 */
export async function configurationOf(settings: LevelSettings): Promise<Configuration | undefined> {
  if (!definesAgents(settings)) return undefined
  const { migrateSettings } = await import('@cadre/agents')
  const { value } = migrateSettings(jsonOf(settings))
  const agents = Array.isArray(value['agents']) ? value['agents'].flatMap(agentOf) : []
  return { entryAgent: textOf(value['entryAgent']) || (agents[0]?.name ?? ''), agents }
}

function jsonOf({ values }: LevelSettings): JsonObject {
  return JSON.parse(JSON.stringify(values)) as JsonObject
}

/** Reads exported agents in the format of settings. */
export function agentsIn(value: unknown): readonly Agent[] {
  return Array.isArray(value) ? value.flatMap(agentOf) : []
}

function agentOf(value: unknown): Agent[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const agent = value as Record<string, unknown>
  const { model, ...rest } = agent
  return [
    {
      ...rest,
      name: textOf(agent['name']),
      systemPrompt: textOf(agent['systemPrompt']),
      description: textOf(agent['description']),
      useFor: textOf(agent['useFor']),
      delegationPermissions: permissionOf(agent['delegationPermissions'], 'agents'),
      toolPermissions: permissionOf(agent['toolPermissions'], 'tools'),
      ...((typeof model === 'string' || isNames(model)) && { model }),
    },
  ]
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** An invalid value permits nothing. */
function permissionOf<Key extends 'agents' | 'tools'>(value: unknown, key: Key): Permission<Key> {
  if (typeof value !== 'object' || value === null) return { type: 'none' }
  const { type, [key]: list, ...rest } = value as Record<string, unknown>
  if (type === 'all' || type === 'none') return { ...rest, type }
  if (type !== 'specific') return { type: 'none' }
  const names = Array.isArray(list) ? list.filter((name) => typeof name === 'string') : []
  return { ...rest, type, [key]: names } as unknown as Permission<Key>
}

/** Settings work without these, with a warning, but they should not be saved like this. */
const blockingCodes = new Set([
  'settings-text',
  'settings-list',
  'settings-list-item',
  'settings-list-twice',
  'settings-permission',
  'settings-unknown-agent',
  'settings-entry',
  'settings-default',
])

const messages: { readonly [code: string]: string } = {
  'settings-default': 'At least one agent is needed.',
  'settings-list': 'Choose at least one, or choose "None".',
}

/** The page shows how to correct it, or it is obvious. */
function isSelfExplanatory(code: string): boolean {
  return code in messages || code.startsWith('settings-prompt')
}

/** Returns the problems of edited agents, by field. */
export async function problemsOf(configuration: Configuration): Promise<readonly Problem[]> {
  const { entryAgent, agents } = configuration
  return problemsIn(
    { entryAgent, agents },
    ({ code, fault, message }) => messages[code] ?? withNumbers(fault ?? message),
  )
}

/**
 * Returns the problems of a level that are not visible in the page's configuration: an invalid permission, or a number
 * instead of an agent. Places refer to the configuration.
 */
export async function repairedProblems(settings: LevelSettings): Promise<readonly Problem[]> {
  const configuration = await configurationOf(settings)
  if (configuration === undefined) return []
  const { migrateSettings } = await import('@cadre/agents')
  const { value } = migrateSettings(jsonOf(settings))
  const listed = Array.isArray(value['agents']) ? value['agents'] : []
  const [written, shown] = await Promise.all([
    problemsIn(settings.values, ({ at = '', message }) => message.slice(at.length).replace(/^:? /, '')),
    problemsOf(configuration),
  ])
  const seen = new Set(shown.map(({ path }) => fieldOf(path)))
  return written
    .map((problem) => withListedIndex(problem, listed))
    .filter(
      ({ path }) => !seen.has(fieldOf(path)) && (path !== 'entryAgent' || 'entryAgent' in settings.values),
    )
}

/** Invalid items are omitted from the configuration, so later agents move up. */
function withListedIndex(problem: Problem, listed: readonly unknown[]): Problem {
  const [, digits] = /^agents\[(\d+)\]/.exec(problem.path) ?? []
  if (digits === undefined) return problem
  const index = Number(digits)
  if (agentsIn([listed[index]]).length === 0)
    return { ...problem, path: 'agents', message: `Entry ${index + 1} ${problem.message}` }
  const moved = agentsIn(listed.slice(0, index)).length
  return { ...problem, path: problem.path.replace(/\d+/, String(moved)) }
}

/** Returns the field of an agent that a path leads into. */
function fieldOf(path: string): string {
  return /^agents\[\d+\](?:\.\w+)?/.exec(path)?.[0] ?? path
}

async function problemsIn(
  values: LevelSettings['values'],
  say: (diagnostic: SettingsDiagnostic) => string,
): Promise<readonly Problem[]> {
  const { readSettingsAgents } = await import('@cadre/agents')
  const { diagnostics } = readSettingsAgents({ path: 'settings', text: settingsText(values) })
  const known = diagnostics.filter(
    ({ severity, code }) =>
      severity !== 'info' && code !== 'settings-unknown-key' && code !== 'settings-migrated',
  )
  const problems = known.map((diagnostic): Problem => {
    const { at = '', severity, code, fix, isEmpty } = diagnostic
    const help = fix === undefined || isSelfExplanatory(code) ? '' : ` ${fix}`
    return {
      path: at.replace(/^configuration\.?/, ''),
      message: `${say(diagnostic)}${help}`,
      prevents: severity === 'error' || blockingCodes.has(code),
      ...(isEmpty && { isEmpty }),
    }
  })
  return problems.filter(
    (problem, index) =>
      problems.findIndex((other) => other.path === problem.path && other.message === problem.message) ===
      index,
  )
}

/** The page shows numbers of agents, not key paths. */
function withNumbers(fault: string): string {
  return fault.replaceAll(/configuration\.agents\[(\d+)\]/g, (_, index) => `agent ${Number(index) + 1}`)
}
