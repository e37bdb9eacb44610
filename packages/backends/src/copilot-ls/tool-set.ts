import { createHash } from 'node:crypto'
import type { JsonSchema, ToolOffer } from '@cadre/core'

/** The tools of an agent in the server's format. */
export interface ToolSet {
  /** The same for the same tools: a server process has the tools of one set. */
  readonly key: string
  readonly tools: readonly WireTool[]
  /** The tool for each name that the server uses. */
  readonly names: ReadonlyMap<string, string>
}

export interface WireTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
}

const known = new WeakMap<readonly ToolOffer[], ToolSet>()

/** The name of the server's own subagents. */
const subagentTool = 'run_subagent'

/** Names that the server reserves for its own tools: it would run its own tool, or show none. */
const reservedNames = new Set([
  'create_file',
  'insert_edit_into_file',
  'replace_string_in_file',
  'apply_patch',
  subagentTool,
])

/** `subagents`: includes `run_subagent`. All sets of a process must agree on it. */
export function toolSetOf(offers: readonly ToolOffer[], subagents = false): ToolSet {
  let set = known.get(offers)
  if (set === undefined) {
    set = build(offers, subagents)
    known.set(offers, set)
  }
  return set
}

function build(offers: readonly ToolOffer[], subagents: boolean): ToolSet {
  const names = new Map<string, string>()
  const tools = [...offers]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, description, parameters }) => {
      const wire = freeName(name, names)
      names.set(wire, name)
      return { name: wire, description: description || name, inputSchema: inputSchema(parameters) }
    })
  const delegation = offers.find(({ name }) => name === 'delegate_task')
  if (subagents && delegation !== undefined) {
    names.set(subagentTool, subagentTool)
    tools.push(subagent(delegation))
  }
  const key = createHash('sha256').update(JSON.stringify(tools)).digest('hex').slice(0, 16)
  return { key, tools, names }
}

/**
 * The server's subagents, carried out by Cadre: the loop treats this name as `delegate_task`. The server's own would have
 * no session whose rules could judge them.
 */
function subagent({ parameters }: ToolOffer): WireTool {
  const properties = parameters['properties'] as { readonly subagent_type: JsonSchema }
  return {
    name: subagentTool,
    description: 'Run an agent on a separate task, and wait for its result.',
    inputSchema: {
      type: 'object',
      properties: {
        task: { type: 'string', description: 'The task, self-contained' },
        agentName: { ...properties.subagent_type, description: 'The name of the agent' },
        description: { type: 'string', description: 'The task in a few words' },
      },
      required: ['task', 'agentName'],
    },
  }
}

function freeName(name: string, names: ReadonlyMap<string, string>): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60) || 'tool'
  const base = reservedNames.has(plain) ? `cadre_${plain}` : plain
  let free = base
  for (let n = 2; names.has(free); n++) free = `${base}_${n}`
  return free
}

/**
 * The server requires `properties` and `required`, and a plain type and a description for each property. Below that, it
 * accepts anything.
 */
export function inputSchema(schema: JsonSchema): JsonSchema {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  return {
    ...schema,
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [name, property(name, value)]),
    ),
    required: Array.isArray(schema['required']) ? schema['required'] : [],
  }
}

function property(name: string, value: unknown): JsonSchema {
  const schema = isObject(value) ? value : {}
  const { type } = schema
  const description =
    typeof schema['description'] === 'string' && schema['description'] !== '' ? schema['description'] : name
  if (typeof type === 'string') return { ...schema, description }
  // A model that sees only the first of several types would never use the others, so the description lists all of them.
  const { description: _, ...rest } = schema
  const words = Object.keys(rest).length === 0 ? '' : ` JSON Schema: ${JSON.stringify(rest)}`
  return { ...withoutUnions(schema), type: firstType(schema), description: `${description}${words}` }
}

function withoutUnions({ anyOf: _a, oneOf: _b, allOf: _c, $ref: _d, ...rest }: JsonSchema): JsonSchema {
  return rest
}

function firstType(schema: JsonSchema): string {
  const { type } = schema
  if (typeof type === 'string') return type
  if (Array.isArray(type)) return String(type.find((item) => item !== 'null') ?? 'string')
  const values = Array.isArray(schema['enum']) ? schema['enum'] : 'const' in schema ? [schema['const']] : []
  if (values.length > 0) return typeOf(values[0])
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const branches = Array.isArray(schema[key]) ? schema[key].filter(isObject) : []
    const found = branches.find((branch) => branch['type'] !== 'null')
    if (found !== undefined) return firstType(found)
  }
  if (isObject(schema['properties'])) return 'object'
  return 'items' in schema ? 'array' : 'string'
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'object'
    ? typeof value
    : 'string'
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
