import { type AgentDefinition, nameKey } from '@cadre/core'
import type { Located } from '@cadre/disk'
import { checkDelegation } from './check-delegation.ts'
import { checkSettingsAgent, type SettingsAgent } from './check-settings-agent.ts'
import { defaultSettings } from './default-settings.ts'
import { type FoundConfiguration, findConfiguration, settingsNamespace } from './find-configuration.ts'
import { migrateSettings } from './migrate-settings.ts'
import { objectOf, readJson } from './read-json.ts'
import { readSettingsAgent } from './read-settings-agent.ts'
import { settingsLimits } from './settings-limits.ts'
import {
  createReport,
  describeValue,
  type SettingsDiagnostic,
  type SettingsReport,
} from './settings-report.ts'
import { lineOf, withLineNumbers } from './with-line-numbers.ts'

export interface SettingsAgents {
  /** In file order. Empty only if the file defines none. */
  readonly agents: readonly {
    readonly agent: AgentDefinition
    readonly line: number
    /** The key path at the start of its messages: `configuration.agents[0]`. */
    readonly place: string
  }[]
  /** The entry agent; absent only if there are no agents. */
  readonly entry?: string
  /**
   * An error means that something is ignored, a warning that a default or another form is used. `settings-migrated` marks a
   * migrated value, `settings-default` a default.
   */
  readonly diagnostics: readonly SettingsDiagnostic[]
}

/**
 * Reads the agents of `.vscode/settings.json`, or of an exported settings file, in the current or an older format. Invalid
 * values permit less than was written, never more. Never throws.
 */
export function readSettingsAgents(file: { readonly path: string; readonly text: string }): SettingsAgents {
  const json = readJson(file)
  const found = json.root === undefined ? undefined : findConfiguration(json.root, file.path)
  // Errors in settings without agents are not reported.
  if (found === undefined)
    return { agents: [], diagnostics: file.text.includes(settingsNamespace) ? json.diagnostics : [] }
  const report = createReport(file.path)
  report.diagnostics.push(...json.diagnostics, ...found.diagnostics)
  const root = migrated(found, report)
  if (!found.isNamespaced) checkKeys(root, report)
  const origins = agentsOf(found)
  const isBroken = json.diagnostics.some(({ severity }) => severity === 'error')
  const isWhole = (index: number) => {
    const origin = origins[index]
    if (!isBroken || origin === undefined) return true
    // An extra bracket can end an agent early, so keys that seem to be missing may follow it.
    return json.isWhole(origin) && origin.fields?.has('toolPermissions') === true
  }
  const read = readAgents(root, isWhole, report)
  return { ...read, diagnostics: report.diagnostics }
}

function migrated(found: FoundConfiguration, report: SettingsReport): Located {
  const { value, changes } = migrateSettings(objectOf(found.fields))
  const origins = agentsOf(found)
  const fields = new Map(found.fields)
  if (!fields.has('agents') && origins.length > 0)
    fields.set('agents', { line: origins[0]?.line ?? found.line, value: null, items: origins })
  const root = withLineNumbers(value, { line: found.line, value: null, fields }, found.line)
  for (const { path, message } of changes) {
    const isVersion = path === 'configuration.version'
    if (isVersion && found.isNamespaced) continue
    const isDefault = path === 'configuration.agents' && value['agents'] === defaultSettings['agents']
    report.diagnostics.push({
      path: report.file,
      line: lineOf(root, path),
      severity: isVersion ? 'info' : 'warning',
      code: isDefault ? 'settings-default' : 'settings-migrated',
      message: `${path} ${message}`,
      at: path,
      fault: message,
    })
  }
  warnOfLoneCoordinator(found, root, report)
  return root
}

/** In the oldest format, the coordinator could always delegate; after the migration it cannot. */
function warnOfLoneCoordinator({ fields }: FoundConfiguration, root: Located, report: SettingsReport): void {
  const coordinator = fields.get('coordinator')?.fields
  const team = fields.get('customAgents')?.items ?? []
  if (fields.has('agents') || coordinator === undefined || team.length === 0) return
  if (coordinator.has('delegationPermissions')) return
  const path = 'configuration.agents[0].delegationPermissions'
  report.warning({ path, line: lineOf(root, path) }, 'settings-team-unreachable', {
    fault: `is "none", so the coordinator cannot delegate to its team of ${team.length}`,
    fix: 'In the coordinator, write "delegationPermissions": {"type": "all"}, or {"type": "specific", "agents": [...]}.',
  })
}

/** Returns the agents of the file, in any format. */
function agentsOf({ fields }: FoundConfiguration): readonly Located[] {
  if (fields.has('agents')) return fields.get('agents')?.items ?? []
  const coordinator = fields.get('coordinator')
  return [...(coordinator === undefined ? [] : [coordinator]), ...(fields.get('customAgents')?.items ?? [])]
}

function checkKeys(root: Located, report: SettingsReport): void {
  for (const [key, { line }] of root.fields ?? []) {
    if (key === 'version' || key === 'entryAgent' || key === 'agents' || key === '$schema') continue
    const place = { path: `configuration.${key}`, line }
    report.warning(place, 'settings-unknown-key', {
      fault: 'is an unknown key',
      effect: 'Cadre does not keep it',
    })
  }
}

const noneUsable = 'contains no usable agent, so Cadre uses the default configuration with one coordinator.'

function readAgents(
  root: Located,
  isWhole: (index: number) => boolean,
  report: SettingsReport,
): Pick<SettingsAgents, 'agents' | 'entry'> {
  const usable = usableAgents(root, isWhole, report)
  if (usable.length === 0) {
    const line = root.fields?.get('agents')?.line ?? root.line
    report.diagnostics.push({
      path: report.file,
      line,
      severity: 'warning',
      code: 'settings-default',
      message: `configuration.agents ${noneUsable}`,
      at: 'configuration.agents',
      fault: noneUsable,
    })
    return readAgents(withLineNumbers(defaultSettings, undefined, line), () => true, report)
  }
  const entry = entryOf(root, usable, report)
  const delegations = checkDelegation(usable, report)
  const agents = usable.flatMap((agent) => {
    const delegates = delegations.get(agent.name) ?? { kind: 'none' }
    const definition = readSettingsAgent({ agent, delegates, isEntry: agent.name === entry }, report)
    return definition === undefined
      ? []
      : [{ agent: definition, line: agent.place.line, place: agent.place.path }]
  })
  return { agents, entry }
}

function usableAgents(
  root: Located,
  isWhole: (index: number) => boolean,
  report: SettingsReport,
): readonly SettingsAgent[] {
  const usable = new Map<string, SettingsAgent>()
  for (const [index, item] of (root.fields?.get('agents')?.items ?? []).entries()) {
    const place = { path: `configuration.agents[${index}]`, line: item.line }
    if (!isWhole(index)) {
      report.error(place, 'settings-agent', {
        fault: 'is in a part of the file that is not valid JSON',
        effect: 'Cadre ignores it',
      })
      continue
    }
    const agent = checkSettingsAgent(item, place, report)
    if (agent === undefined || !isReadable(agent, report)) continue
    // Agent names are case-insensitive everywhere, so one of two such agents would replace the other.
    const other = usable.get(nameKey(agent.name))
    if (other !== undefined)
      report.error(
        { path: `${place.path}.name`, line: item.fields?.get('name')?.line ?? place.line },
        'settings-name-twice',
        {
          fault: `is also the name of ${other.place.path}${agent.name === other.name ? '' : ` (${describeValue(other.name)}): names are case-insensitive`}`,
          value: agent.name,
          effect: 'Cadre ignores this one',
          fix: 'Rename one of them.',
        },
      )
    else if (usable.size >= settingsLimits.agents)
      report.error(place, 'settings-agents', {
        fault: `exceeds the limit of ${settingsLimits.agents} agents`,
        effect: 'Cadre ignores it',
      })
    else usable.set(nameKey(agent.name), agent)
  }
  return [...usable.values()]
}

/** Checked before other agents refer to it, because a common key may make it unusable. */
function isReadable(agent: SettingsAgent, report: SettingsReport): boolean {
  const trial = createReport(report.file)
  const read = readSettingsAgent({ agent, delegates: { kind: 'none' }, isEntry: false }, trial)
  if (read === undefined) report.diagnostics.push(...trial.diagnostics)
  return read !== undefined
}

function entryOf(root: Located, agents: readonly SettingsAgent[], report: SettingsReport): string {
  const field = root.fields?.get('entryAgent')
  const first = agents[0]?.name ?? ''
  if (agents.some(({ name }) => name === field?.value)) return field?.value as string
  const place = { path: 'configuration.entryAgent', line: field?.line ?? root.line }
  const fault =
    field === undefined || field.value === null
      ? 'is not set'
      : `names ${describeValue(field.value)}, but there is no such agent`
  report.warning(place, 'settings-entry', {
    fault,
    effect: `Cadre uses the first agent, ${describeValue(first)}`,
  })
  return first
}
