import { isObject, type Json } from '@cadre/core'
import { configShape, type ValueShape } from './config-shape.ts'
import type { ConfigFile } from './read-config-file.ts'

/** One setting of a configuration file, and where it is. */
export interface ConfigSetting {
  /** In dotted notation. */
  readonly key: string
  readonly value: Json
  readonly file: string
  readonly line: number
}

/** The settings of a file, one for each value that is not a section. */
export function settingsIn(file: ConfigFile): ConfigSetting[] {
  return leaves(file.value, configShape, []).map(({ keys, value }) => ({
    key: keys.join('.'),
    value,
    file: file.path,
    line: file.lineAt(keys),
  }))
}

interface Leaf {
  readonly keys: readonly string[]
  readonly value: Json
}

function leaves(value: Json, shape: ValueShape, keys: readonly string[]): Leaf[] {
  if (!isObject(value) || (shape.kind !== 'keys' && shape.kind !== 'named')) return [{ keys, value }]
  return Object.entries(value).flatMap(([key, below]) => {
    const next = shape.kind === 'named' ? shape.of : shape.keys[key]
    return next === undefined ? [] : leaves(below, next, [...keys, key])
  })
}
