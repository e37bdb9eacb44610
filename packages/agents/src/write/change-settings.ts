import { didYouMean, isObject, type Json, type JsonObject, nameKey } from '@cadre/core'
import type { Located } from '@cadre/disk'
import { settingsNamespace } from '../settings/find-configuration.ts'
import { readJson } from '../settings/read-json.ts'
import { readSettingsAgents } from '../settings/read-settings.ts'
import { insertItem, type JsonPath, removeAt, setKey } from './json-splice.ts'

export type SettingsChange =
  | { readonly kind: 'add'; readonly agent: JsonObject & { readonly name: string } }
  /** Without `as`, the copy is named after the agent. */
  | { readonly kind: 'duplicate'; readonly name: string; readonly as?: string }
  /** To remove the entry agent, name another. */
  | { readonly kind: 'remove'; readonly name: string; readonly entry?: string }
  /** Removes all agents and the entry agent. */
  | { readonly kind: 'reset' }

export type ChangedSettings =
  | {
      readonly kind: 'changed'
      readonly text: string
      readonly added: readonly string[]
      readonly removed: readonly string[]
    }
  /** The reason follows the path in the message. */
  | { readonly kind: 'refused'; readonly line: number; readonly reason: string }

export interface ChangeRequest {
  readonly path: string
  /** The current content; absent if the file does not exist. */
  readonly text?: string
  readonly change: SettingsChange
}

const definingKeys = ['agents', 'entryAgent', 'coordinator', 'customAgents'] as const

/**
 * Adds, copies or removes one agent in editor settings, or removes all. Everything else in the file stays unchanged, byte
 * for byte. Rejects a change that would introduce an error.
 */
export function changeSettings({ path, text = '{}\n', change }: ChangeRequest): ChangedSettings {
  const { root, diagnostics } = readJson({ path, text })
  const broken = diagnostics.find(({ severity }) => severity === 'error')
  if (root?.fields === undefined || broken !== undefined)
    return refusedResult(broken?.line ?? 1, broken?.message ?? 'Settings must be an object.')
  const found = findParts(root, path)
  if (change.kind === 'reset') return reset(text, found)
  const old = found.parts.get('coordinator') ?? found.parts.get('customAgents')
  if (old !== undefined)
    return refusedResult(
      old.field.line,
      'These agents have an older form. Update them first: cadre agents import FILE --to settings --force.',
    )
  const changed = changeAgents(text, found, change)
  if (changed.kind === 'refused') return changed
  const known = new Set(errorsIn(path, text).map(({ message }) => message))
  const fault = errorsIn(path, changed.text).find(({ message }) => !known.has(message))
  return fault === undefined ? changed : refusedResult(fault.line ?? 1, fault.message)
}

interface Part {
  readonly at: JsonPath
  readonly field: Located
}

interface FoundParts {
  /** By key, without the namespace. */
  readonly parts: ReadonlyMap<string, Part>
  /** Returns where to write a key that does not exist yet. */
  readonly at: (key: string) => readonly string[]
}

/** A workspace file has its settings one level deeper. If a key occurs twice, the dotted one applies. */
function findParts(root: Located, path: string): FoundParts {
  const isWorkspace = /\.code-workspace$/i.test(path)
  const fields = (isWorkspace ? root.fields?.get('settings')?.fields : root.fields) ?? new Map()
  const base = isWorkspace ? ['settings'] : []
  const nested: Located | undefined = fields.get(settingsNamespace)
  const isDotted = [...fields.keys()].some((key) => key.startsWith(`${settingsNamespace}.`))
  const parts = new Map<string, Part>()
  for (const key of definingKeys) {
    const inside = nested?.fields?.get(key)
    if (inside !== undefined) parts.set(key, { at: [...base, settingsNamespace, key], field: inside })
    const dotted = fields.get(`${settingsNamespace}.${key}`)
    if (dotted !== undefined) parts.set(key, { at: [...base, `${settingsNamespace}.${key}`], field: dotted })
  }
  const isNested = nested?.fields !== undefined && !isDotted
  return {
    parts,
    at: (key) => [...base, ...(isNested ? [settingsNamespace, key] : [`${settingsNamespace}.${key}`])],
  }
}

function reset(text: string, { parts }: FoundParts): ChangedSettings {
  if (parts.size === 0) return refusedResult(1, 'There are no agents in these settings.')
  let edited = text
  for (const { at } of parts.values()) edited = removeAt(edited, at)
  const names = [...(namesIn(parts.get('agents')) ?? []), ...(namesIn(parts.get('customAgents')) ?? [])]
  const coordinator = parts.has('coordinator') ? ['coordinator'] : []
  return { kind: 'changed', text: edited, added: [], removed: [...coordinator, ...names] }
}

function changeAgents(
  text: string,
  { parts, at }: FoundParts,
  change: Exclude<SettingsChange, { kind: 'reset' }>,
): ChangedSettings {
  const agents = parts.get('agents')
  const names = agents === undefined ? [] : namesIn(agents)
  if (names === undefined)
    return refusedResult(agents?.field.line ?? 1, 'agents must be a list of objects with a name.')
  const list = agents?.at ?? at('agents')
  const isTaken = (name: string) => names.some((other) => nameKey(other) === nameKey(name))
  const taken = (name: string) =>
    refusedResult(agents?.field.line ?? 1, `There is already an agent named ${name}.`)

  if (change.kind === 'add') {
    const { agent } = change
    if (isTaken(agent.name)) return taken(agent.name)
    if (names.length > 0) return addedResult(insertItem(text, list, names.length, agent), agent.name)
    const entry = parts.get('entryAgent')?.at ?? at('entryAgent')
    return addedResult(setKey(setKey(text, entry, agent.name), list, [agent]), agent.name)
  }

  const index = names.findIndex((name) => nameKey(name) === nameKey(change.name))
  if (index === -1)
    return refusedResult(
      agents?.field.line ?? 1,
      `There is no agent named ${change.name} in these settings${didYouMean(change.name, names) || '.'}`,
    )
  const name = names[index] as string
  const items = agents?.field.items ?? []

  if (change.kind === 'duplicate') {
    const as = change.as ?? freeName(`${name.slice(0, 45)}-copy`, isTaken)
    if (isTaken(as)) return taken(as)
    const copy = { ...(items[index]?.value as JsonObject), name: as }
    return addedResult(insertItem(text, list, index + 1, copy), as)
  }

  if (names.length === 1)
    return refusedResult(
      items[index]?.line ?? 1,
      `${name} is the only agent. Remove it with: cadre agents reset.`,
    )
  const entry = parts.get('entryAgent')
  let edited = text
  if (entry !== undefined && nameKey(String(entry.field.value)) === nameKey(name)) {
    const successor = names.find((other) => nameKey(other) === nameKey(change.entry ?? ''))
    if (successor === undefined || successor === name)
      return refusedResult(
        entry.field.line,
        `${name} is the entry agent. Choose another one with --entry: ${names.filter((other) => other !== name).join(', ')}.`,
      )
    edited = setKey(edited, entry.at, successor)
  }
  for (const [other, { value }] of items.entries()) {
    const targets = targetsOf(value)
    const isNamed = (target: Json) => nameKey(String(target)) === nameKey(name)
    const positions = targets?.flatMap((target, at) => (isNamed(target) ? [at] : [])) ?? []
    if (other === index || positions.length === 0) continue
    const permission = [...list, other, 'delegationPermissions']
    // An empty list permits no agent, which has its own form.
    if (positions.length === targets?.length) edited = setKey(edited, permission, { type: 'none' })
    else for (const at of positions.toReversed()) edited = removeAt(edited, [...permission, 'agents', at])
  }
  return { kind: 'changed', text: removeAt(edited, [...list, index]), added: [], removed: [name] }
}

function addedResult(text: string, name: string): ChangedSettings {
  return { kind: 'changed', text, added: [name], removed: [] }
}

function refusedResult(line: number, reason: string): ChangedSettings {
  return { kind: 'refused', line, reason }
}

/** Returns `undefined` if it is not a list of agents. */
function namesIn(part: Part | undefined): string[] | undefined {
  const items = part?.field.items
  const names = items?.map(({ value }) => (isObject(value) ? value['name'] : undefined))
  return names?.every((name) => typeof name === 'string') ? names : undefined
}

function targetsOf(agent: Json): readonly Json[] | undefined {
  const permission = isObject(agent) ? agent['delegationPermissions'] : undefined
  const targets = isObject(permission) ? permission['agents'] : undefined
  return Array.isArray(targets) ? targets : undefined
}

function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  let name = wanted
  for (let number = 2; isTaken(name); number++) name = `${wanted}-${number}`
  return name
}

function errorsIn(path: string, text: string) {
  return readSettingsAgents({ path, text }).diagnostics.filter(({ severity }) => severity === 'error')
}
