import type { JsonObject } from '@cadre/core'

/** Reads a value from a server as an object. Empty if it is not one. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

/** Reads the items of a list as objects. Empty if the value is not a list. */
export function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}

/** Empty if the value is not text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
