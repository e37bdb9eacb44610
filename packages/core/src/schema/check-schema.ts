import type { StandardIssue } from '../ports/schema.ts'
import { isObject } from './is-object.ts'
import { readPattern } from './pattern.ts'
import { resolveRef } from './resolve-ref.ts'

type Path = readonly PropertyKey[]
type Keywords = { readonly [keyword: string]: unknown }

/** Deeper than any real value. Ends the recursion of a schema that refers to itself. */
const maxDepth = 200

/**
 * Validates a value against a JSON Schema (draft 2020-12) and returns its issues. Unknown keywords permit everything; `schemaFaults` finds
 * them. Checks the type of a value before its content, so that the first issues are the ones to fix first.
 */
export function checkSchema(schema: unknown, value: unknown): StandardIssue[] {
  return check(schema, value, { root: schema, path: [], depth: 0 })
}

interface Place {
  readonly root: unknown
  readonly path: Path
  readonly depth: number
}

function check(schema: unknown, value: unknown, place: Place): StandardIssue[] {
  if (schema === false) return [issue('is not allowed', place)]
  if (!isObject(schema)) return []
  if (place.depth > maxDepth) return [issue('is nested too deeply', place)]
  const issues = [...typeIssues(schema, value, place), ...choiceIssues(schema, value, below(place))]
  if (issues.length > 0) return issues
  if (typeof value === 'string') return stringIssues(schema, value, place)
  if (typeof value === 'number') return numberIssues(schema, value, place)
  if (Array.isArray(value)) return arrayIssues(schema, value, place)
  return isObject(value) ? objectIssues(schema, value, place) : []
}

function below({ root, path, depth }: Place, ...keys: PropertyKey[]): Place {
  return { root, path: keys.length === 0 ? path : [...path, ...keys], depth: depth + 1 }
}

function typeIssues(schema: Keywords, value: unknown, place: Place): StandardIssue[] {
  const types = [schema['type']].flat().filter((type): type is string => typeof type === 'string')
  if (types.length === 0 || types.some((type) => isOfType(type, value))) return []
  return [issue(`must be ${types.join(' or ')}`, place)]
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

/** Keywords that apply to values of every type. */
function choiceIssues(schema: Keywords, value: unknown, place: Place): StandardIssue[] {
  const { enum: choices, anyOf, oneOf, allOf, not, $ref, if: condition } = schema
  if (Array.isArray(choices) && !choices.some((choice) => isSame(choice, value)))
    return [issue(`must be one of: ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`, place)]
  if ('const' in schema && !isSame(schema['const'], value))
    return [issue(`must be ${JSON.stringify(schema['const'])}`, place)]
  for (const some of [anyOf, oneOf]) {
    if (!Array.isArray(some) || some.length === 0) continue
    const tried = some.map((one) => check(one, value, place))
    const fitting = tried.filter(({ length }) => length === 0).length
    if (fitting === 0) return nearest(tried, place.path.length)
    if (some === oneOf && fitting > 1) return [issue('must match exactly one of the alternatives', place)]
  }
  if (not !== undefined && check(not, value, place).length === 0)
    return [issue('must not match the schema in "not"', place)]
  const branch =
    condition === undefined
      ? undefined
      : schema[check(condition, value, place).length === 0 ? 'then' : 'else']
  const all = [...(Array.isArray(allOf) ? allOf : []), branch]
  if (typeof $ref === 'string') all.push(resolveRef(place.root, $ref))
  return all.flatMap((one) => check(one, value, place))
}

/** The alternative whose first issue is deepest in the value: most likely the intended one. */
function nearest(tried: readonly StandardIssue[][], depth: number): StandardIssue[] {
  const reach = (issues: StandardIssue[]) => Math.max(...issues.map(({ path = [] }) => path.length))
  const farthest = tried.reduce((best, one) => (reach(one) > reach(best) ? one : best))
  return reach(farthest) > depth ? farthest : (tried[0] ?? [])
}

function stringIssues(schema: Keywords, value: string, place: Place): StandardIssue[] {
  const { minLength, maxLength, pattern } = schema
  const { length } = [...value]
  if (typeof minLength === 'number' && length < minLength)
    return [issue(`must have at least ${counted(minLength, 'character')}`, place)]
  if (typeof maxLength === 'number' && length > maxLength)
    return [issue(`must have at most ${counted(maxLength, 'character')}`, place)]
  const fits = typeof pattern === 'string' ? matchesPattern(pattern, value) : true
  if (fits === undefined) return [issue(`is too long to be compared with the pattern ${pattern}`, place)]
  return fits ? [] : [issue(`must match the pattern ${pattern}`, place)]
}

/** A pattern that cannot be applied permits everything, as an unknown keyword does. */
function matchesPattern(source: string, text: string): boolean | undefined {
  const pattern = readPattern(source)
  return 'fault' in pattern ? true : pattern.test(text)
}

function numberIssues(schema: Keywords, value: number, place: Place): StandardIssue[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  if (typeof minimum === 'number' && value < minimum) return [issue(`must be at least ${minimum}`, place)]
  if (typeof maximum === 'number' && value > maximum) return [issue(`must be at most ${maximum}`, place)]
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    return [issue(`must be greater than ${exclusiveMinimum}`, place)]
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    return [issue(`must be less than ${exclusiveMaximum}`, place)]
  if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf))
    return [issue(`must be a multiple of ${multipleOf}`, place)]
  return []
}

/** 0.3 is a multiple of 0.1, although 0.3 / 0.1 is not exactly 3. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * 1e-12
}

function arrayIssues(schema: Keywords, value: readonly unknown[], place: Place): StandardIssue[] {
  const { items, prefixItems, minItems, maxItems, uniqueItems } = schema
  if (typeof minItems === 'number' && value.length < minItems)
    return [issue(`must have at least ${counted(minItems, 'item')}`, place)]
  if (typeof maxItems === 'number' && value.length > maxItems)
    return [issue(`must have at most ${counted(maxItems, 'item')}`, place)]
  if (uniqueItems === true && new Set(value.map(canonical)).size < value.length)
    return [issue('must not contain an item twice', place)]
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : []
  return value.flatMap((item, index) =>
    check(index < first.length ? first[index] : items, item, below(place, index)),
  )
}

function objectIssues(
  schema: Keywords,
  value: { readonly [key: string]: unknown },
  place: Place,
): StandardIssue[] {
  const { required, additionalProperties, propertyNames, minProperties, maxProperties } = schema
  const known = isObject(schema['properties']) ? schema['properties'] : {}
  const patterns = isObject(schema['patternProperties']) ? Object.entries(schema['patternProperties']) : []
  const missing = (Array.isArray(required) ? required : []).filter(
    (key): key is string => typeof key === 'string' && !Object.hasOwn(value, key),
  )
  if (missing.length > 0) return missing.map((key) => issue('is missing', below(place, key)))
  const entries = Object.entries(value)
  if (typeof minProperties === 'number' && entries.length < minProperties)
    return [issue(`must have at least ${counted(minProperties, 'key')}`, place)]
  if (typeof maxProperties === 'number' && entries.length > maxProperties)
    return [issue(`must have at most ${counted(maxProperties, 'key')}`, place)]
  return entries.flatMap(([key, item]) => {
    const at = below(place, key)
    const named = check(propertyNames, key, at)
    const fitting = patterns.flatMap(([pattern, one]) =>
      matchesPattern(pattern, key) === false ? [] : [one],
    )
    const schemas = [...(Object.hasOwn(known, key) ? [known[key]] : []), ...fitting]
    if (schemas.length > 0) return [...named, ...schemas.flatMap((one) => check(one, item, at))]
    if (additionalProperties === false)
      return [issue(`is unknown. Known: ${Object.keys(known).join(', ')}`, at)]
    return [...named, ...check(additionalProperties, item, at)]
  })
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

function issue(message: string, { path }: Place): StandardIssue {
  return { message, path }
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || canonical(a) === canonical(b)
}

/** Returns the same text for equal values, regardless of the order of keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  )
}
