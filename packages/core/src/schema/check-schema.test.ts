import { expect, it } from 'vitest'
import { explainIssues } from '../ports/schema.ts'
import { checkSchema } from './check-schema.ts'

const schema = {
  type: 'object',
  required: ['path'],
  additionalProperties: false,
  properties: {
    path: { type: 'string', minLength: 1 },
    kind: { enum: ['a', 'b'] },
    lines: { type: 'array', items: { type: 'integer', minimum: 1 }, maxItems: 2 },
    either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    nested: { type: 'object', additionalProperties: { type: 'boolean' } },
  },
}

it.each([
  [{ path: 'x' }, ''],
  [{ path: 'x', kind: 'a', lines: [1, 2], either: null, nested: { x: true } }, ''],
  [{}, 'path is missing'],
  [undefined, 'must be object'],
  [{ path: 7 }, 'path must be string'],
  [{ path: '' }, 'path must have at least 1 character'],
  [{ path: 'x', kind: 'c' }, 'kind must be one of: "a", "b"'],
  [{ path: 'x', lines: [0] }, 'lines.0 must be at least 1'],
  [{ path: 'x', lines: [1, 2, 3] }, 'lines must have at most 2 items'],
  [{ path: 'x', either: 1 }, 'either must be string'],
  [{ path: 'x', nested: { x: 1 } }, 'nested.x must be boolean'],
  [{ path: 'x', other: 1 }, 'other is unknown. Known: path, kind, lines, either, nested'],
])('checks %j', (value, expected) => {
  expect(explainIssues(checkSchema(schema, value))).toBe(expected)
})

it('permits everything under unknown keywords', () => {
  expect(checkSchema(undefined, { x: 1 })).toEqual([])
  expect(checkSchema({ $ref: '#/x', type: 'mystery' }, 3)).toEqual([])
})
