/** JSON Schemas for the answers, by type name. The OpenAPI document contains them as components. */
import type { JsonObject } from '@cadre/core'

export const text = { type: 'string' } as const
export const flag = { type: 'boolean' } as const
export const count = { type: 'integer', minimum: 0 } as const
export const amount = { type: 'number', minimum: 0 } as const
export const anyObject = { type: 'object' } as const

export function list(items: JsonObject): JsonObject {
  return { type: 'array', items }
}

export function choice(...values: string[]): JsonObject {
  return { type: 'string', enum: values }
}

/** Keys with `?` are optional. Other keys are allowed, because later versions may add some. */
export function object(properties: { readonly [key: string]: JsonObject }): JsonObject {
  const required = Object.keys(properties).filter((key) => !key.endsWith('?'))
  const plain = Object.entries(properties).map(([key, schema]) => [key.replace('?', ''), schema])
  return { type: 'object', properties: Object.fromEntries(plain), ...(required.length > 0 && { required }) }
}

/** A request body: like `object`, but rejects unknown keys. */
export function body(properties: { readonly [key: string]: JsonObject }): JsonObject {
  return { ...object(properties), additionalProperties: false }
}

export function ref(name: keyof typeof components): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

/** One page of a list. */
export function page(items: JsonObject): JsonObject {
  return object({ at: text, 'next?': text, items: list(items) })
}

export const paging = {
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 500,
    default: 100,
    description: 'The maximum number of items',
  },
  after: { type: 'string', maxLength: 1000, description: 'The `next` value from the previous page' },
} as const

const usage = object({
  input: amount,
  output: amount,
  'cacheRead?': amount,
  'cacheWrite?': amount,
  'cost?': amount,
  'premium?': amount,
})
const role = choice('viewer', 'operator', 'approver', 'admin')
const risk = choice('LOW', 'MEDIUM', 'HIGH')
const local = (name: string) => ({ $ref: `#/components/schemas/${name}` })

export const components = {
  Problem: object({ type: text, title: text, status: count, 'detail?': text, 'code?': text }),
  Role: role,
  Usage: usage,
  Budget: object({ 'tokens?': amount, 'cost?': amount, 'calls?': amount }),
  SpentBudget: object({ tokens: amount, cost: amount, calls: count }),
  Subtree: object({
    sessions: count,
    calls: count,
    waiting: count,
    usage: local('Usage'),
    'budget?': local('Budget'),
    'spent?': local('SpentBudget'),
  }),
  SessionRow: object({
    id: text,
    agent: text,
    'parent?': text,
    'call?': text,
    root: text,
    depth: count,
    state: choice('queued', 'working', 'waiting', 'ended', 'stopped'),
    'outcome?': choice('completed', 'incomplete', 'error', 'cancelled'),
    work: text,
    'doing?': text,
    'model?': text,
    created: text,
    updated: text,
    usage: local('Usage'),
    subtree: local('Subtree'),
    seq: count,
  }),
  SessionDetail: object({
    row: local('SessionRow'),
    work: text,
    chain: list(text),
    targets: list(text),
    workspace: text,
    isolated: flag,
    limits: anyObject,
    controls: anyObject,
    'startedBy?': text,
    'owner?': object({ pid: count, here: flag }),
    'report?': anyObject,
    handoffs: list(object({ label: text, agent: text, prompt: text })),
  }),
  Entry: {
    ...object({ seq: count, timestamp: text, role: choice('user', 'assistant', 'tool_result', 'event') }),
  },
  Verdict: object({
    decision: choice('allow', 'ask', 'deny'),
    by: text,
    'rule?': text,
    'reason?': text,
    'risk?': risk,
    'reasons?': list(text),
  }),
  CallDetail: object({
    id: text,
    session: text,
    agent: text,
    tool: text,
    input: text,
    'ran?': text,
    'verdict?': local('Verdict'),
    'person?': object({ decision: text, 'by?': text, at: text, 'reason?': text }),
    status: choice('pending', 'running', 'waiting', 'done', 'failed', 'refused', 'cancelled', 'in_doubt'),
    asked: text,
    'started?': text,
    'settled?': text,
    'content?': text,
    'code?': text,
    'child?': text,
    'commit?': text,
    'patch?': text,
  }),
  Vote: object({ by: text, via: text, decision: text, at: text, 'reason?': text }),
  Approval: object({
    id: text,
    session: text,
    root: text,
    question: text,
    call: text,
    agent: text,
    chain: list(text),
    'task?': text,
    'purpose?': text,
    type: text,
    action: text,
    more: list({ type: 'array', items: text, minItems: 2, maxItems: 2 }),
    risk: { oneOf: [risk, { type: 'null' }] },
    reasons: list(text),
    why: text,
    grants: list(text),
    choices: list(text),
    created: text,
    status: choice('pending', 'approved', 'rejected', 'withdrawn'),
    'decidedBy?': text,
    'decidedAt?': text,
    'reason?': text,
    'needed?': object({ quorum: count, roles: list(text), notByStarter: flag }),
    votes: list(local('Vote')),
    'objection?': text,
  }),
  DecisionResult: object({
    recorded: flag,
    decided: flag,
    decision: text,
    by: text,
    votes: list(local('Vote')),
  }),
  TaskItem: object({
    id: text,
    file: text,
    line: count,
    title: text,
    state: choice('open', 'running', 'waiting', 'done', 'failed', 'skipped'),
    marker: text,
    'agent?': text,
    'priority?': text,
    dependencies: list(text),
    blockedBy: list(text),
    'session?': text,
    fields: { type: 'object', additionalProperties: text },
    etag: text,
  }),
  WorkspaceItem: object({
    session: text,
    agent: text,
    kind: text,
    path: text,
    'branch?': text,
    'target?': text,
    life: text,
    state: text,
    commits: count,
    files: list(text),
    uncommitted: count,
    created: text,
  }),
  Forecast: object({
    session: text,
    with: list(object({ session: text, files: list(text), conflicts: list(text) })),
  }),
  RewindResult: object({
    seq: count,
    removed: count,
    children: list(text),
    commits: list(object({ commit: text, call: text, files: list(text) })),
    files: list(text),
  }),
  SearchHit: object({
    kind: choice('session', 'task', 'memory', 'approval'),
    id: text,
    title: text,
    excerpt: text,
    'at?': text,
    url: text,
  }),
  Person: object({ name: text, roles: list(local('Role')) }),
  ProblemItem: object({
    file: text,
    'line?': count,
    severity: choice('error', 'warning', 'info'),
    'code?': text,
    message: text,
    'fix?': text,
  }),
} as const
