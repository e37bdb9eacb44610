import type { JsonObject } from '@cadre/core'
import fc from 'fast-check'

/** Values that fit a JSON Schema of the routes: only the keywords that routes use. */
export function arbitraryOf(schema: JsonObject, components: JsonObject): fc.Arbitrary<unknown> {
  const { $ref, enum: choices, oneOf, type } = schema as Record<string, unknown>
  const of = (inner: unknown) => arbitraryOf(inner as JsonObject, components)
  if (typeof $ref === 'string') return of(components[$ref.slice($ref.lastIndexOf('/') + 1)])
  if (Array.isArray(choices)) return fc.constantFrom<unknown>(...(choices as unknown[]))
  if (Array.isArray(oneOf)) return fc.oneof(...oneOf.map(of))
  const number = (name: string, otherwise: number) => Number(schema[name] ?? otherwise)
  if (type === 'string') {
    const length = { minLength: number('minLength', 0), maxLength: Math.min(number('maxLength', 60), 300) }
    const pattern = schema['pattern']
    if (pattern === '\\S')
      return fc.string({ ...length, unit: 'binary' }).map((text) => `x${text}`.slice(0, 300))
    if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern, 'u'))
    return fc.oneof(fc.string(length), fc.string({ ...length, unit: 'binary' }))
  }
  if (type === 'integer')
    return fc.integer({ min: number('minimum', -(2 ** 31)), max: number('maximum', 2 ** 31) })
  if (type === 'number') return fc.double({ min: number('minimum', -1e9), max: 1e9, noNaN: true })
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'array')
    return fc.array(of(schema['items'] ?? {}), { minLength: number('minItems', 0), maxLength: 4 })
  if (type !== 'object') return fc.jsonValue({ maxDepth: 3 })
  const properties = (schema['properties'] ?? {}) as Record<string, JsonObject>
  const parts = Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, of(inner)]))
  if (Object.keys(parts).length === 0)
    return fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  const required = (schema['required'] ?? []) as string[]
  return fc.record(parts, { requiredKeys: required })
}
