import type { JsonObject } from '@cadre/core'

/** Neither a list nor nothing. What it holds is as plain as the file it was read from. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
