import { isObject, type Json, type JsonObject } from '@cadre/core'
import { defaultSettings, settingsVersion } from './default-settings.ts'

/** One change made by the migration. */
export interface MigrationChange {
  /** The path in the new format, such as `configuration.agents[0].toolPermissions`. */
  readonly path: string
  readonly message: string
}

export interface MigratedSettings {
  readonly value: JsonObject
  readonly changes: readonly MigrationChange[]
}

/**
 * Migrates settings of any version to the current format: `{version, entryAgent, agents}`. Pure and idempotent. Does not
 * validate: values with the right shape are kept, even if they are wrong.
 */
export function migrateSettings(value: Json): MigratedSettings {
  const changes: MigrationChange[] = []
  const change = (path: string, message: string) =>
    void changes.push({ path: path === '' ? 'configuration' : `configuration.${path}`, message })
  if (!isObject(value)) {
    change('', 'is not an object, so Cadre uses the default configuration with one coordinator.')
    return { value: defaultSettings, changes }
  }
  const moved = fromCoordinator(value, change)
  const { version: written = undefined, entryAgent = undefined, agents: listed = undefined, ...rest } = moved
  if (written === undefined) change('version', `was missing and is now ${settingsVersion}.`)
  const agents = agentsOf(listed, change)
  const [first] = agents
  const firstName = isObject(first) ? textAt(first, 'name') : undefined
  const isUnset = entryAgent === undefined || entryAgent === null || entryAgent === ''
  if (isUnset && firstName !== undefined)
    change('entryAgent', `was not set and is now the first agent, ${JSON.stringify(firstName.slice(0, 80))}.`)
  const entry = isUnset ? (firstName ?? entryAgent) : entryAgent
  return {
    value: {
      version: written ?? settingsVersion,
      ...(entry !== undefined && { entryAgent: entry }),
      agents,
      ...rest,
    },
    changes,
  }
}

type Change = (path: string, message: string) => void

/** The oldest format: one `coordinator`, and the others as `customAgents`. */
function fromCoordinator(value: JsonObject, change: Change): JsonObject {
  const hasOld = Object.hasOwn(value, 'coordinator') || Object.hasOwn(value, 'customAgents')
  if (!hasOld || Object.hasOwn(value, 'agents')) return value
  const { coordinator, customAgents, ...rest } = value
  const agents: Json[] = []
  if (coordinator !== undefined) {
    const isNamed = !isObject(coordinator) || Object.hasOwn(coordinator, 'name')
    agents.push(isNamed ? coordinator : { name: 'coordinator', ...coordinator })
    change('agents[0]', 'was written as coordinator and is now the first agent.')
    if (!isNamed) change('agents[0].name', 'was missing and is now "coordinator".')
  }
  if (Array.isArray(customAgents)) {
    const before = agents.length
    agents.push(...customAgents)
    if (customAgents.length > 0)
      change(
        `agents[${before}]`,
        `and the agents after it (${customAgents.length} in all) were written as customAgents.`,
      )
  } else if (customAgents !== undefined)
    change('agents', 'does not include customAgents, because it was not a list.')
  return { ...rest, agents }
}

function agentsOf(listed: Json | undefined, change: Change): readonly Json[] {
  if (!Array.isArray(listed) || listed.length === 0) {
    const fault =
      listed === undefined ? 'was missing' : Array.isArray(listed) ? 'was empty' : 'was not a list'
    change('agents', `${fault}, so Cadre uses the default configuration with one coordinator.`)
    return defaultSettings['agents'] as readonly Json[]
  }
  return listed.map((agent, index) =>
    isObject(agent) ? withPermissions(agent, `agents[${index}]`, change) : agent,
  )
}

function withPermissions(agent: JsonObject, path: string, change: Change): JsonObject {
  const delegation = permissionOf(agent, 'delegationPermissions', 'none', path, change)
  const tools = permissionOf(agent, 'toolPermissions', 'all', path, change)
  if (delegation === undefined && tools === undefined) return agent
  return {
    ...agent,
    ...(delegation !== undefined && { delegationPermissions: delegation }),
    ...(tools !== undefined && { toolPermissions: tools }),
  }
}

/** Returns `undefined` if it does not change. */
function permissionOf(
  agent: JsonObject,
  key: string,
  missing: 'all' | 'none',
  path: string,
  change: Change,
): JsonObject | undefined {
  const written = Object.hasOwn(agent, key) ? agent[key] : undefined
  const near = Object.keys(agent).find((other) => other !== key && normaliseKey(other) === normaliseKey(key))
  if (written === undefined && near !== undefined) {
    const said = JSON.stringify(near.slice(0, 80))
    change(`${path}.${key}`, `was written as ${said}, which Cadre does not read, so it is now "none".`)
    return { type: 'none' }
  }
  if (written === undefined) {
    change(`${path}.${key}`, `was missing and is now ${JSON.stringify(missing)}, the default.`)
    return { type: missing }
  }
  if (typeof written !== 'boolean') return undefined
  const type = written ? 'all' : 'none'
  change(`${path}.${key}`, `was ${written} and is now ${JSON.stringify(type)}.`)
  return { type }
}

/** For mistyped keys: `ToolPermission`, `tool-permissions`. */
function normaliseKey(key: string): string {
  return key
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/s$/, '')
}

function textAt(value: JsonObject, key: string): string | undefined {
  const text = Object.hasOwn(value, key) ? value[key] : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}
