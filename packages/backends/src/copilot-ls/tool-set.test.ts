import { expect, it } from 'vitest'
import { inputSchema, toolSetOf } from './tool-set.ts'

const offer = (name: string, parameters = {}) => ({ name, description: 'd', parameters })

it('adds what the server requires, and keeps the rest', () => {
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: {
      plain: { type: 'string', enum: ['a', 'b'] },
      said: { type: 'array', description: 'Many', items: { type: 'object', properties: { q: {} } } },
    },
  }
  expect(inputSchema(schema)).toEqual({
    type: 'object',
    additionalProperties: false,
    properties: {
      plain: { type: 'string', enum: ['a', 'b'], description: 'plain' },
      said: schema.properties.said,
    },
    required: [],
  })
  expect(inputSchema({})).toEqual({ type: 'object', properties: {}, required: [] })
})

it.each([
  [{ type: ['null', 'integer'] }, 'integer'],
  [{ anyOf: [{ type: 'null' }, { type: 'array' }] }, 'array'],
  [{ oneOf: [{ enum: [1, 2] }] }, 'number'],
  [{ const: true }, 'boolean'],
  [{ properties: {} }, 'object'],
  [{ items: {} }, 'array'],
  [{}, 'string'],
  [true, 'string'],
])('gives the property %j the type %s, and describes the rest in words', (property, type) => {
  const { x } = inputSchema({ properties: { x: property } })['properties'] as Record<
    string,
    Record<string, unknown>
  >
  expect(x).toMatchObject({ type })
  expect(x).not.toHaveProperty('anyOf')
  if (Object.keys(property).length > 0)
    expect(x!['description']).toBe(`x JSON Schema: ${JSON.stringify(property)}`)
})

it('gives each tool a name that the server accepts, and maps it back', () => {
  const { tools, names } = toolSetOf([
    offer('a.b c'),
    offer('a_b_c'),
    offer('create_file'),
    offer('read_file'),
  ])
  expect(tools.map(({ name }) => name).sort()).toEqual(['a_b_c', 'a_b_c_2', 'cadre_create_file', 'read_file'])
  expect([...names.values()].sort()).toEqual(['a.b c', 'a_b_c', 'create_file', 'read_file'])
  expect(names.get('cadre_create_file')).toBe('create_file')
})

it('has the same key for the same tools in any order, and another for another schema', () => {
  const key = (...offers: Parameters<typeof toolSetOf>[0]) => toolSetOf(offers).key
  expect(key(offer('a'), offer('b'))).toBe(key(offer('b'), offer('a')))
  expect(key(offer('a'))).not.toBe(key(offer('a', { properties: { x: {} } })))
  expect(key()).not.toBe(key(offer('a')))
})

it('offers run_subagent only if it is enabled and the agent may delegate', () => {
  const agents = { properties: { subagent_type: { type: 'string', enum: ['a', 'b'] } } }
  const offers = () => [offer('delegate_task', agents), offer('read_file')]
  const namesIn = (set: ReturnType<typeof toolSetOf>) => set.tools.map(({ name }) => name)
  expect(namesIn(toolSetOf(offers()))).toEqual(['delegate_task', 'read_file'])
  expect(namesIn(toolSetOf([offer('read_file')], true))).toEqual(['read_file'])
  const set = toolSetOf(offers(), true)
  expect(set.names.get('run_subagent')).toBe('run_subagent')
  expect(set.tools.at(-1)?.inputSchema).toMatchObject({
    properties: { agentName: { enum: ['a', 'b'] } },
    required: ['task', 'agentName'],
  })
})
