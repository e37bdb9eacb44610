import { createHash } from 'node:crypto'
import type { Json } from '@cadre/core'

/** A tool's definition as its server lists it. */
export interface ServerToolDefinition {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: Json
  readonly outputSchema?: Json | undefined
  readonly annotations?: Json | undefined
}

/** A fingerprint of everything on which a person or a model bases a decision. The order of keys does not matter. */
export function fingerprintTool({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: ServerToolDefinition): string {
  const definition = { name, title, description, inputSchema, outputSchema, annotations }
  return createHash('sha256').update(canonical(definition)).digest('hex')
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  fields.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`
}
