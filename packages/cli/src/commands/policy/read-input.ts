import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError, type JsonObject, messageOf, parseJson } from '@cadre/core'
import type { Io } from '../../io.ts'
import { readAll } from '../../run/work-from-input.ts'

/** The arguments of a call: JSON, `@FILE` with JSON in it, or `-` for standard input; none is no arguments. */
export async function readInput(io: Io, given: string | undefined): Promise<JsonObject> {
  if (given === undefined) return {}
  const text = given === '-' ? await readAll(io.stdin) : given.startsWith('@') ? fromFile(io, given) : given
  const parsed = parseJson(text)
  const what = given === '-' ? 'standard input' : given.startsWith('@') ? given.slice(1) : '--input'
  if (!parsed.ok) throw new CadreError('usage', `${what} is not valid JSON: ${parsed.reason}${hint(given)}`)
  const { value } = parsed
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw new CadreError(
    'usage',
    `${what} must be a JSON object with the arguments of the tool, such as {"path": "README.md"}`,
  )
}

function fromFile(io: Io, given: string): string {
  const file = path.resolve(io.cwd, given.slice(1))
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CadreError('usage', `the file of --input cannot be read: ${messageOf(error)}`, { where: file })
  }
}

function hint(given: string): string {
  return given.startsWith('{') || given === '-' || given.startsWith('@')
    ? ''
    : '; write the arguments as {"name": "value"}, or @FILE, or - for standard input'
}
