import type { JsonSchema, StandardIssue } from '@cadre/core'

type Path = readonly PropertyKey[]

/** Deeper than any input that a tool means. */
const deepest = 30

/**
 * What is wrong with a value under a JSON Schema: VS Code passes inputs on to tools as they are. What this does not know of the
 * standard permits everything.
 */
export function checkSchema(schema: unknown, value: unknown, path: Path = []): StandardIssue[] {
  if (!isObject(schema) || path.length > deepest) return []
  const issues = [...typeIssues(schema, value, path), ...choiceIssues(schema, value, path)]
  if (issues.length > 0) return issues
  if (typeof value === 'string') return stringIssues(schema, value, path)
  if (typeof value === 'number') return numberIssues(schema, value, path)
  if (Array.isArray(value)) return arrayIssues(schema, value, path)
  return isObject(value) ? objectIssues(schema, value, path) : []
}

function typeIssues(schema: JsonSchema, value: unknown, path: Path): StandardIssue[] {
  const types = [schema['type']].flat().filter((type): type is string => typeof type === 'string')
  if (types.length === 0 || types.some((type) => isOfType(type, value))) return []
  return [issue(`must be ${types.join(' or ')}`, path)]
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type
    default:
      return true
  }
}

function choiceIssues(schema: JsonSchema, value: unknown, path: Path): StandardIssue[] {
  const { enum: choices, anyOf, oneOf, allOf } = schema
  if (Array.isArray(choices) && !choices.some((choice) => isSame(choice, value)))
    return [issue(`must be one of: ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`, path)]
  if ('const' in schema && !isSame(schema['const'], value))
    return [issue(`must be ${JSON.stringify(schema['const'])}`, path)]
  for (const some of [anyOf, oneOf]) {
    if (!Array.isArray(some) || some.length === 0) continue
    const tried = some.map((one) => checkSchema(one, value, path))
    if (tried.every(({ length }) => length > 0)) return tried[0] ?? []
  }
  return Array.isArray(allOf) ? allOf.flatMap((one) => checkSchema(one, value, path)) : []
}

function stringIssues({ minLength, maxLength }: JsonSchema, value: string, path: Path): StandardIssue[] {
  if (typeof minLength === 'number' && value.length < minLength)
    return [issue(`must have at least ${minLength} characters`, path)]
  if (typeof maxLength === 'number' && value.length > maxLength)
    return [issue(`must have at most ${maxLength} characters`, path)]
  return []
}

function numberIssues({ minimum, maximum }: JsonSchema, value: number, path: Path): StandardIssue[] {
  if (typeof minimum === 'number' && value < minimum) return [issue(`must be at least ${minimum}`, path)]
  if (typeof maximum === 'number' && value > maximum) return [issue(`must be at most ${maximum}`, path)]
  return []
}

function arrayIssues(
  { items, minItems, maxItems }: JsonSchema,
  value: readonly unknown[],
  path: Path,
): StandardIssue[] {
  if (typeof minItems === 'number' && value.length < minItems)
    return [issue(`must have at least ${minItems} items`, path)]
  if (typeof maxItems === 'number' && value.length > maxItems)
    return [issue(`must have at most ${maxItems} items`, path)]
  return value.flatMap((item, index) => checkSchema(items, item, [...path, index]))
}

function objectIssues(schema: JsonSchema, value: Record<string, unknown>, path: Path): StandardIssue[] {
  const { properties, required, additionalProperties } = schema
  const known = isObject(properties) ? properties : {}
  const missing = (Array.isArray(required) ? required : []).filter(
    (key): key is string => typeof key === 'string' && !Object.hasOwn(value, key),
  )
  if (missing.length > 0) return missing.map((key) => issue('is missing', [...path, key]))
  return Object.entries(value).flatMap(([key, item]) => {
    if (Object.hasOwn(known, key)) return checkSchema(known[key], item, [...path, key])
    if (additionalProperties === false)
      return [issue(`is unknown. Known: ${Object.keys(known).join(', ')}`, [...path, key])]
    return checkSchema(additionalProperties, item, [...path, key])
  })
}

function issue(message: string, path: Path): StandardIssue {
  return { message, path }
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
