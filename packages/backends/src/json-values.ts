import type { JsonObject } from '@cadre/core'

/** A value that a server sent, read as an object. Empty if it is none. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

/** The items of a list, each read as an object. Empty if the value is no list. */
export function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}

/** Empty if the value is no text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
