import { isObject } from './is-object.ts'
import { readPattern } from './pattern.ts'
import { resolveRef } from './resolve-ref.ts'

type Kind = 'schema' | 'schemas' | 'named' | 'number' | 'texts' | 'list' | 'pattern' | 'type' | 'ref' | 'any'

/** Every keyword that `checkSchema` applies or may ignore, and the type of its value. */
const keywords: Readonly<Record<string, Kind>> = {
  type: 'type',
  enum: 'list',
  const: 'any',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  if: 'schema',
  // biome-ignore lint/suspicious/noThenProperty: a keyword of the standard.
  then: 'schema',
  else: 'schema',
  $ref: 'ref',
  $defs: 'named',
  definitions: 'named',
  properties: 'named',
  patternProperties: 'named',
  additionalProperties: 'schema',
  propertyNames: 'schema',
  required: 'texts',
  minProperties: 'number',
  maxProperties: 'number',
  items: 'schema',
  prefixItems: 'schemas',
  minItems: 'number',
  maxItems: 'number',
  uniqueItems: 'any',
  minLength: 'number',
  maxLength: 'number',
  pattern: 'pattern',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'number',
  // Annotations, which restrict nothing. `format` is one too, unless a validator enforces it.
  $schema: 'any',
  $id: 'any',
  $comment: 'any',
  title: 'any',
  description: 'any',
  default: 'any',
  examples: 'any',
  format: 'any',
  deprecated: 'any',
  readOnly: 'any',
  writeOnly: 'any',
}

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

/**
 * Returns the reasons why `checkSchema` cannot apply a schema completely, one sentence each. If there are none, a value without issues is
 * valid.
 */
export function schemaFaults(schema: unknown): string[] {
  return faultsIn(schema, schema, '#')
}

function faultsIn(schema: unknown, root: unknown, at: string): string[] {
  if (typeof schema === 'boolean') return []
  if (!isObject(schema)) return [`${at} must be an object or a boolean`]
  return Object.entries(schema).flatMap(([key, value]) => {
    const place = `${at}/${key}`
    const kind = Object.hasOwn(keywords, key) ? keywords[key] : undefined
    if (kind === undefined) return [`${place}: Cadre does not support the keyword ${JSON.stringify(key)}`]
    if (kind === 'schema') return faultsIn(value, root, place)
    if (kind === 'schemas') {
      if (!Array.isArray(value) || value.length === 0) return [`${place} must be a list of schemas`]
      return value.flatMap((one, index) => faultsIn(one, root, `${place}/${index}`))
    }
    if (kind === 'named') {
      if (!isObject(value)) return [`${place} must be an object of schemas`]
      const names =
        key === 'patternProperties' ? Object.keys(value).flatMap((name) => wrongPattern(name)) : []
      const below = Object.entries(value).flatMap(([name, one]) => faultsIn(one, root, `${place}/${name}`))
      return [...names.map((why) => `${place}: ${why}`), ...below]
    }
    return valueFaults(kind, value, root).map((why) => `${place} ${why}`)
  })
}

function valueFaults(kind: Kind, value: unknown, root: unknown): string[] {
  switch (kind) {
    case 'number':
      return typeof value === 'number' ? [] : ['must be a number']
    case 'texts':
      return Array.isArray(value) && value.every((one) => typeof one === 'string')
        ? []
        : ['must be a list of strings']
    case 'list':
      return Array.isArray(value) ? [] : ['must be a list']
    case 'type': {
      const all: readonly unknown[] = Array.isArray(value) ? value : [value]
      return all.every((one) => types.includes(one as string)) ? [] : [`must be one of ${types.join(', ')}`]
    }
    case 'pattern':
      return typeof value === 'string' ? wrongPattern(value) : ['must be a string']
    case 'ref':
      return typeof value === 'string' && resolveRef(root, value) !== undefined
        ? []
        : ['must point to a schema in the same file, for example "#/$defs/name"']
    default:
      return []
  }
}

function wrongPattern(source: string): string[] {
  const pattern = readPattern(source)
  if (!('fault' in pattern)) return []
  if (!isRegex(source)) return [`is not a valid pattern: ${source}`]
  return [`cannot be checked, because ${pattern.fault}: ${source}`]
}

function isRegex(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}
