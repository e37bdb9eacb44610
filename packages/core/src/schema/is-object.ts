import type { JsonObject } from '../ports/json.ts'

/** True for an object that is neither an array nor null. Its values are JSON, because it was parsed from text. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
