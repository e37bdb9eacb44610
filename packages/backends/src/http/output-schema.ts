import type { JsonObject } from '@cadre/core'
import { listOf, objectOf } from '../json-values.ts'

/**
 * True if servers can enforce a schema: its root is an object, and every object in it lists all its keys as required and
 * allows no others. Servers treat any other schema only as a hint.
 */
export function isStrict(schema: JsonObject): boolean {
  return schema['type'] === 'object' && isClosed(schema)
}

function isClosed(schema: JsonObject): boolean {
  const properties = objectOf(schema['properties'])
  const { required } = schema
  const isObject = schema['type'] === 'object' || schema['properties'] !== undefined
  const names = new Set(Array.isArray(required) ? required : [])
  if (isObject && schema['additionalProperties'] !== false) return false
  if (isObject && !Object.keys(properties).every((name) => names.has(name))) return false
  const below = [
    ...Object.values(properties).map(objectOf),
    ...Object.values(objectOf(schema['$defs'])).map(objectOf),
    ...listOf(schema['anyOf']),
    ...listOf(schema['items'] === undefined ? [] : [schema['items']]),
  ]
  return below.every(isClosed)
}

/** Returns whether an error message is about an unsupported output schema. */
export function isSchemaError(text: string): boolean {
  return /response_format|json_schema|output_config|output_format|text\.format|structured output|additionalProperties/i.test(
    text,
  )
}
