/** JSON Schemas for the answers, by type name. The OpenAPI document contains them as components. */
import type { JsonObject } from '@cadre/core'

export const textSchema = { type: 'string' } as const
export const booleanSchema = { type: 'boolean' } as const
export const countSchema = { type: 'integer', minimum: 0 } as const
const amountSchema = { type: 'number', minimum: 0 } as const
export const anyObject = { type: 'object' } as const

export function listSchema(items: JsonObject): JsonObject {
  return { type: 'array', items }
}

export function choiceSchema(...values: string[]): JsonObject {
  return { type: 'string', enum: values }
}

/** Keys with `?` are optional. Other keys are allowed, because later versions may add some. */
export function objectSchema(properties: { readonly [key: string]: JsonObject }): JsonObject {
  const required = Object.keys(properties).filter((key) => !key.endsWith('?'))
  const plain = Object.entries(properties).map(([key, schema]) => [key.replace('?', ''), schema])
  return { type: 'object', properties: Object.fromEntries(plain), ...(required.length > 0 && { required }) }
}

/** A request body: like `object`, but rejects unknown keys. */
export function bodySchema(properties: { readonly [key: string]: JsonObject }): JsonObject {
  return { ...objectSchema(properties), additionalProperties: false }
}

export function schemaRef(name: keyof typeof components): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

/** One page of a list. */
export function pageSchema(items: JsonObject): JsonObject {
  return objectSchema({ at: textSchema, 'next?': textSchema, items: listSchema(items) })
}

export const pagingParameters = {
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 500,
    default: 100,
    description: 'The maximum number of items',
  },
  after: { type: 'string', maxLength: 1000, description: 'The `next` value from the previous page' },
} as const

const usage = objectSchema({
  input: amountSchema,
  output: amountSchema,
  'cacheRead?': amountSchema,
  'cacheWrite?': amountSchema,
  'cost?': amountSchema,
  'premium?': amountSchema,
})
const role = choiceSchema('viewer', 'operator', 'approver', 'admin')
const risk = choiceSchema('LOW', 'MEDIUM', 'HIGH')
const local = (name: string) => ({ $ref: `#/components/schemas/${name}` })

export const components = {
  Problem: objectSchema({
    type: textSchema,
    title: textSchema,
    status: countSchema,
    'detail?': textSchema,
    'code?': textSchema,
  }),
  Role: role,
  Usage: usage,
  Budget: objectSchema({ 'tokens?': amountSchema, 'cost?': amountSchema, 'calls?': amountSchema }),
  SpentBudget: objectSchema({ tokens: amountSchema, cost: amountSchema, calls: countSchema }),
  Subtree: objectSchema({
    sessions: countSchema,
    calls: countSchema,
    waiting: countSchema,
    usage: local('Usage'),
    'budget?': local('Budget'),
    'spent?': local('SpentBudget'),
  }),
  SessionRow: objectSchema({
    id: textSchema,
    agent: textSchema,
    'parent?': textSchema,
    'call?': textSchema,
    root: textSchema,
    depth: countSchema,
    state: choiceSchema('queued', 'working', 'waiting', 'ended', 'stopped'),
    'outcome?': choiceSchema('completed', 'incomplete', 'error', 'cancelled'),
    work: textSchema,
    'doing?': textSchema,
    'model?': textSchema,
    created: textSchema,
    updated: textSchema,
    usage: local('Usage'),
    subtree: local('Subtree'),
    seq: countSchema,
  }),
  SessionDetail: objectSchema({
    row: local('SessionRow'),
    work: textSchema,
    chain: listSchema(textSchema),
    targets: listSchema(textSchema),
    workspace: textSchema,
    isolated: booleanSchema,
    limits: anyObject,
    controls: anyObject,
    'startedBy?': textSchema,
    'owner?': objectSchema({ pid: countSchema, here: booleanSchema }),
    'report?': anyObject,
    handoffs: listSchema(objectSchema({ label: textSchema, agent: textSchema, prompt: textSchema })),
  }),
  Entry: {
    ...objectSchema({
      seq: countSchema,
      timestamp: textSchema,
      role: choiceSchema('user', 'assistant', 'tool_result', 'event'),
    }),
  },
  Verdict: objectSchema({
    decision: choiceSchema('allow', 'ask', 'deny'),
    by: textSchema,
    'rule?': textSchema,
    'reason?': textSchema,
    'risk?': risk,
    'reasons?': listSchema(textSchema),
  }),
  CallDetail: objectSchema({
    id: textSchema,
    session: textSchema,
    agent: textSchema,
    tool: textSchema,
    input: textSchema,
    'ran?': textSchema,
    'verdict?': local('Verdict'),
    'person?': objectSchema({
      decision: textSchema,
      'by?': textSchema,
      at: textSchema,
      'reason?': textSchema,
    }),
    status: choiceSchema(
      'pending',
      'running',
      'waiting',
      'done',
      'failed',
      'refused',
      'cancelled',
      'in_doubt',
    ),
    asked: textSchema,
    'started?': textSchema,
    'settled?': textSchema,
    'content?': textSchema,
    'code?': textSchema,
    'child?': textSchema,
    'commit?': textSchema,
    'patch?': textSchema,
  }),
  Vote: objectSchema({
    by: textSchema,
    via: textSchema,
    decision: textSchema,
    at: textSchema,
    'reason?': textSchema,
  }),
  Approval: objectSchema({
    id: textSchema,
    session: textSchema,
    root: textSchema,
    question: textSchema,
    call: textSchema,
    agent: textSchema,
    chain: listSchema(textSchema),
    'task?': textSchema,
    'purpose?': textSchema,
    type: textSchema,
    action: textSchema,
    more: listSchema({ type: 'array', items: textSchema, minItems: 2, maxItems: 2 }),
    risk: { oneOf: [risk, { type: 'null' }] },
    reasons: listSchema(textSchema),
    why: textSchema,
    grants: listSchema(textSchema),
    choices: listSchema(textSchema),
    created: textSchema,
    status: choiceSchema('pending', 'approved', 'rejected', 'withdrawn'),
    'decidedBy?': textSchema,
    'decidedAt?': textSchema,
    'reason?': textSchema,
    'needed?': objectSchema({
      quorum: countSchema,
      roles: listSchema(textSchema),
      notByStarter: booleanSchema,
    }),
    votes: listSchema(local('Vote')),
    'objection?': textSchema,
  }),
  DecisionResult: objectSchema({
    recorded: booleanSchema,
    decided: booleanSchema,
    decision: textSchema,
    by: textSchema,
    votes: listSchema(local('Vote')),
  }),
  TaskItem: objectSchema({
    id: textSchema,
    file: textSchema,
    line: countSchema,
    title: textSchema,
    state: choiceSchema('open', 'running', 'waiting', 'done', 'failed', 'skipped'),
    marker: textSchema,
    'agent?': textSchema,
    'priority?': textSchema,
    dependencies: listSchema(textSchema),
    blockedBy: listSchema(textSchema),
    'session?': textSchema,
    fields: { type: 'object', additionalProperties: textSchema },
    etag: textSchema,
  }),
  WorkspaceItem: objectSchema({
    session: textSchema,
    agent: textSchema,
    kind: textSchema,
    path: textSchema,
    'branch?': textSchema,
    'target?': textSchema,
    life: textSchema,
    state: textSchema,
    commits: countSchema,
    files: listSchema(textSchema),
    uncommitted: countSchema,
    created: textSchema,
  }),
  Forecast: objectSchema({
    session: textSchema,
    with: listSchema(
      objectSchema({ session: textSchema, files: listSchema(textSchema), conflicts: listSchema(textSchema) }),
    ),
  }),
  RewindResult: objectSchema({
    seq: countSchema,
    removed: countSchema,
    children: listSchema(textSchema),
    commits: listSchema(
      objectSchema({ commit: textSchema, call: textSchema, files: listSchema(textSchema) }),
    ),
    files: listSchema(textSchema),
  }),
  SearchHit: objectSchema({
    kind: choiceSchema('session', 'task', 'memory', 'approval'),
    id: textSchema,
    title: textSchema,
    excerpt: textSchema,
    'at?': textSchema,
    url: textSchema,
  }),
  Person: objectSchema({ name: textSchema, roles: listSchema(local('Role')) }),
  ProblemItem: objectSchema({
    file: textSchema,
    'line?': countSchema,
    severity: choiceSchema('error', 'warning', 'info'),
    'code?': textSchema,
    message: textSchema,
    'fix?': textSchema,
  }),
} as const
