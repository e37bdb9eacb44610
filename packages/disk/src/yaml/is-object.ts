import type { JsonObject } from '@cadre/core'

/** True for an object that is neither an array nor null. Its values are JSON, because it was parsed from a file. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
