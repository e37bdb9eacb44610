import { expect, it } from 'vitest'
import { explainIssues } from '../ports/schema.ts'
import { checkSchema } from './check-schema.ts'
import { schemaFaults } from './schema-faults.ts'

const tree = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $ref: '#/$defs/node',
  $defs: {
    node: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', pattern: '^[a-z]+$' },
        children: { type: 'array', items: { $ref: '#/$defs/node' }, uniqueItems: true },
      },
      patternProperties: { '^x-': { type: 'number', exclusiveMinimum: 0, multipleOf: 0.1 } },
      additionalProperties: false,
    },
  },
}

/** As text, because an object with `then` looks like a promise. */
const conditional: unknown = JSON.parse('{"if": {"const": 1}, "then": false, "else": {"type": "string"}}')

it.each([
  [tree, { name: 'a', children: [{ name: 'b', 'x-y': 0.3 }] }, ''],
  [tree, { name: 'a', children: [{ name: 'B' }] }, 'children.0.name must match the pattern ^[a-z]+$'],
  [tree, { name: 'a', children: [{ name: 'b' }, { name: 'b' }] }, 'children must not contain an item twice'],
  [tree, { name: 'a', 'x-y': 0 }, 'x-y must be greater than 0'],
  [tree, { name: 'a', 'x-y': 0.25 }, 'x-y must be a multiple of 0.1'],
  [tree, { name: 'a', z: 1 }, 'z is unknown. Known: name, children'],
  [{ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 1, 'must match exactly one of the alternatives'],
  [{ not: { const: 'no' } }, 'no', 'must not match the schema in "not"'],
  [conditional, 1, 'is not allowed'],
  [conditional, 2, 'must be string'],
  [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], '1 is not allowed'],
  [{ enum: [{ a: 1, b: 2 }] }, { b: 2, a: 1 }, ''],
  [{ maxLength: 1 }, '👍', ''],
  [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, 'ab must have at most 1 character'],
  [{ anyOf: [{ type: 'string' }, { properties: { a: { type: 'string' } } }] }, { a: 1 }, 'a must be string'],
  [{ $ref: '#' }, 1, 'is nested too deeply'],
])('checks against %j: %j', (schema, value, expected) => {
  expect(schemaFaults(schema)).toEqual([])
  expect(explainIssues(checkSchema(schema, value))).toBe(expected)
})

it('checks "__proto__" and "constructor" as keys like any other', () => {
  const schema = { type: 'object', required: ['constructor'], additionalProperties: false }
  expect(explainIssues(checkSchema(schema, {}))).toBe('constructor is missing')
  const value: unknown = JSON.parse('{"__proto__": 1}')
  expect(checkSchema({ additionalProperties: false }, value)).toHaveLength(1)
})

it.each([
  [[], '# must be an object or a boolean'],
  [{ unevaluatedProperties: false }, '#/unevaluatedProperties: Cadre does not support the keyword'],
  [{ properties: { a: { tpye: 'string' } } }, '#/properties/a/tpye: Cadre does not support'],
  [{ type: 'text' }, '#/type must be one of object'],
  [{ pattern: '(' }, '#/pattern is not a valid pattern: ('],
  [{ patternProperties: { '(': {} } }, '#/patternProperties: is not a valid pattern: ('],
  [{ $ref: '#/$defs/none' }, '#/$ref must point to a schema in the same file'],
  [{ $ref: 'https://example.com/schema' }, '#/$ref must point to a schema in the same file'],
  [{ required: 'a' }, '#/required must be a list of strings'],
  [{ anyOf: [] }, '#/anyOf must be a list of schemas'],
])('names what it cannot apply: %j', (schema, expected) => {
  expect(schemaFaults(schema)[0]).toContain(expected)
})
