import type { Json } from '@cadre/core'
import type { Located } from '@cadre/disk'
import { describeValue, type SettingsLocation, type SettingsReport } from './settings-report.ts'

/** `all`, `none` or `specific`, with its names. */
export interface TaggedNames {
  readonly kind: 'all' | 'none' | 'list'
  /** Each name with its index and line. */
  readonly names: ReadonlyMap<string, { readonly index: number; readonly line: number }>
  readonly line: number
  /** Unknown parts, kept for writing back. */
  readonly rest?: { readonly [key: string]: Json }
}

export interface TaggedRequest {
  readonly field: Located | undefined
  readonly place: SettingsLocation
  /** The key with the names. */
  readonly key: 'agents' | 'tools'
  /** What Cadre does if it is invalid. */
  readonly effect: string
  readonly faultInName: (name: string) => string | undefined
}

/** Reads a permission. An invalid one permits nothing. */
export function readTagged(request: TaggedRequest, report: SettingsReport): TaggedNames {
  const { field, place, effect } = request
  const none: TaggedNames = { kind: 'none', names: new Map(), line: place.line }
  const type = field?.fields?.get('type')
  if (type?.value !== 'all' && type?.value !== 'none' && type?.value !== 'specific') {
    const at = type === undefined ? place : { path: `${place.path}.type`, line: type.line }
    const found = describeValue((type ?? field)?.value)
    report.warning(at, 'settings-permission', {
      fault: `must be ${type === undefined ? 'an object with type ' : ''}"all", "none" or "specific", not ${found}`,
      effect,
    })
    return none
  }
  const rest = restOf(request, type.value === 'specific', report)
  if (type.value !== 'specific') return { ...none, kind: type.value, ...rest }
  const names = namesOf(request, report)
  return names.size === 0 ? { ...none, ...rest } : { ...none, kind: 'list', names, ...rest }
}

function namesOf(
  { field, place, key, effect, faultInName }: TaggedRequest,
  report: SettingsReport,
): TaggedNames['names'] {
  const list = field?.fields?.get(key)
  const path = `${place.path}.${key}`
  if (list?.items === undefined || list.items.length === 0) {
    const fault = list === undefined ? 'is missing' : list.items === undefined ? 'is not a list' : 'is empty'
    const line = list?.line ?? place.line
    report.warning({ path, line }, 'settings-list', {
      fault: `${fault}, but "specific" needs at least one name`,
      effect,
      fix: 'For none, write {"type": "none"}.',
    })
    return new Map()
  }
  const names = new Map<string, { index: number; line: number }>()
  for (const [index, item] of list.items.entries()) {
    const at = { path: `${path}[${index}]`, line: item.line }
    const fault = typeof item.value === 'string' ? faultInName(item.value) : 'is not a string'
    if (fault !== undefined)
      report.warning(at, 'settings-list-item', { fault, value: item.value, effect: 'Cadre ignores it' })
    else if (names.has(item.value as string))
      report.warning(at, 'settings-list-twice', {
        fault: 'is already in the list',
        value: item.value,
        effect: 'Cadre ignores it',
      })
    else names.set(item.value as string, { index, line: item.line })
  }
  return names
}

function restOf({ field, place, key }: TaggedRequest, isList: boolean, report: SettingsReport): object {
  const rest = [...(field?.fields ?? [])].filter(([name]) => name !== 'type' && !(isList && name === key))
  for (const [name, part] of rest) {
    const fault = name === key ? 'has an effect only if type is "specific"' : 'is an unknown key'
    const at = { path: `${place.path}.${name}`, line: part.line }
    report.warning(at, 'settings-unknown-key', { fault, effect: 'Cadre keeps it' })
  }
  return rest.length === 0 ? {} : { rest: Object.fromEntries(rest.map(([name, part]) => [name, part.value])) }
}
