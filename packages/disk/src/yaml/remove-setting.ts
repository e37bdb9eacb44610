import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json, type JsonObject } from '@cadre/core'
import type { Pair, YAMLMap } from 'yaml'
import { readAnyYaml } from './located.ts'
import type { ChangedText } from './set-setting.ts'
import { isTooDeep, yamlParser } from './yaml-parser.ts'

export interface SettingToRemove {
  /** The path of the file, for messages. */
  readonly path: string
  /** From the outermost key to the innermost. */
  readonly keys: readonly string[]
}

/**
 * Removes one key from a YAML file, and mappings that are empty without it. Keeps every other line, including comments. Refuses if the
 * result would mean anything else.
 */
export function removeSetting(text: string, { path, keys }: SettingToRemove): ChangedText {
  const before = readObject(text, path)
  if (before === undefined) return { kind: 'refused', reason: `${path}: this is not valid YAML.` }
  const wanted = without(before, keys)
  if (isDeepStrictEqual(wanted, before)) return { kind: 'same' }
  const changed = edit(text, keys)
  const after = changed === undefined ? undefined : readObject(changed, path)
  if (changed === undefined || !isDeepStrictEqual(after, wanted))
    return {
      kind: 'refused',
      reason: `${path}: Cadre cannot remove ${keys.join('.')} without rewriting other parts of the file. Edit the file yourself.`,
    }
  return { kind: 'changed', text: changed }
}

function readObject(text: string, path: string): JsonObject | undefined {
  if (text.replace(/^\ufeff/, '').trim() === '') return {}
  const read = readAnyYaml({ text, path })
  if (read.kind === 'broken') return undefined
  const value = read.root.value ?? {}
  return isObject(value) ? value : undefined
}

function without(value: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  if (!Object.hasOwn(value, key)) return value
  const { [key]: inner, ...others } = value
  if (rest.length === 0 || !isObject(inner)) return rest.length === 0 ? others : value
  const left = without(inner, rest)
  return Object.keys(left).length === 0 ? others : { ...value, [key]: left as Json }
}

function edit(text: string, keys: readonly string[]): string | undefined {
  if (isTooDeep(text)) return undefined
  const yaml = yamlParser()
  const { contents } = yaml.parseDocument(text)
  let map: YAMLMap | undefined = yaml.isMap(contents) ? contents : undefined
  /** The outermost mapping entry that has no other keys. */
  let goes: Pair | undefined
  for (const key of keys) {
    const pair: Pair | undefined = map?.items.find(
      (item) => yaml.isScalar(item.key) && String(item.key.value) === key,
    )
    if (map === undefined || pair === undefined || map.flow) return undefined
    if (goes === undefined || map.items.length > 1) goes = pair
    map = yaml.isMap(pair.value) ? pair.value : undefined
  }
  if (goes === undefined || !yaml.isNode(goes.key) || !goes.key.range) return undefined
  const from = text.lastIndexOf('\n', goes.key.range[0] - 1) + 1
  const last = yaml.isNode(goes.value) && goes.value.range ? goes.value.range[1] : goes.key.range[1]
  const end = from + text.slice(from, last).trimEnd().length
  const lineEnd = text.indexOf('\n', end)
  return text.slice(0, from) + (lineEnd < 0 ? '' : text.slice(lineEnd + 1))
}
