import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError, type JsonObject, parseJson, schemaFaults, sentenceOf } from '@cadre/core'
import type { Io } from '../io.ts'

/** Reads a JSON Schema from a file. Rejects one that Cadre cannot check completely. */
export function readOutputSchema(io: Io, given: string): JsonObject {
  const where = path.resolve(io.cwd, given)
  let text: string
  try {
    text = readFileSync(where, 'utf8')
  } catch (error) {
    throw new CadreError('usage', unreadable(error), { where, cause: error })
  }
  const parsed = parseJson(text)
  if (!parsed.ok)
    throw new CadreError('usage', `the output schema is not valid JSON: ${parsed.reason}`, { where })
  const { value } = parsed
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const faults = isObject ? schemaFaults(value) : ['a JSON Schema must be an object']
  if (faults.length === 0) return value as JsonObject
  throw new CadreError('usage', `the output schema cannot be used: ${faults.slice(0, 3).join('; ')}.`, {
    where,
  })
}

function unreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT')
    return 'there is no such file. Pass --output-schema the path to a file that contains a JSON Schema.'
  if (code === 'EISDIR')
    return 'this is a folder. Pass --output-schema the path to a file that contains a JSON Schema.'
  return `cannot read the output schema: ${sentenceOf(error)}`
}
