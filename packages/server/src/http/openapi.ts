import { type OperationName, operations } from '@cadre/api'
import type { JsonObject } from '@cadre/core'
import { type AnyRoute, changesWithEtag, operationsWithKey } from './http-route.ts'
import { emptyBody } from './read-json-body.ts'
import { eventsQuery } from './routes/events-route.ts'
import { components, schemaRef } from './schemas.ts'

type Table = { readonly [name in OperationName]?: AnyRoute | undefined }

/** The OpenAPI 3.1 document for the routes. It is generated from the table, so it always matches the server. */
export function describeApi(
  routes: Table,
  { version, port }: { readonly version: string; readonly port: number },
): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const [name, [method, path]] of Object.entries(operations)) {
    const operation = name as OperationName
    const route = routes[operation]
    if (route === undefined && operation !== 'events') continue
    const item = paths[path] ?? {}
    paths[path] = item
    item[method.toLowerCase()] = operation === 'events' ? describeEvents() : describeRoute(route as AnyRoute)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cadre',
      version,
      description: 'Inspect what teams of coding agents do, decide their approvals, and operate them.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'Cadre', url: 'https://example.org/cadre' },
    },
    servers: [{ url: '/', description: 'The server that sent this document' }],
    tags: tags.map(([name, description]) => ({ name, description })),
    security: [{ cookie: [], key: [] }, { token: [] }],
    paths,
    components: {
      securitySchemes: {
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: `cadre-${port}`,
          description: 'The cookie that a login sets. Send it together with the key',
        },
        key: {
          type: 'apiKey',
          in: 'header',
          name: 'x-cadre-key',
          description: 'The key that a login returns. Send it together with the cookie',
        },
        token: { type: 'http', scheme: 'bearer', description: 'A token from `cadre people add`' },
      },
      schemas: components,
    },
  }
}

const tags = [
  ['access', 'Log in, and see what you may do'],
  ['sessions', 'Sessions, their journals and calls'],
  ['approvals', 'Pending and decided approvals'],
  ['tasks', 'Task files'],
  ['workspaces', "Sessions' workspaces"],
  ['agents', 'Agents and policies'],
  ['home', 'The daemon, people, messages, audit log and search'],
] as const

function tagOf(path: string): string {
  const [, , first = ''] = path.split('/')
  const known: { readonly [part: string]: string } = {
    login: 'access',
    logout: 'access',
    me: 'access',
    people: 'access',
    'openapi.json': 'access',
    sessions: 'sessions',
    approvals: 'approvals',
    tasks: 'tasks',
    workspaces: 'workspaces',
    agents: 'agents',
    lint: 'agents',
    policy: 'agents',
  }
  return known[first] ?? 'home'
}

function describeRoute(route: AnyRoute): JsonObject {
  const { operation, role, summary, description, body, schema, status = 200 } = route
  const [method, path] = operations[operation]
  const who = role === 'public' ? 'Needs no login.' : `Needs the role ${role}.`
  return {
    operationId: operation,
    summary,
    description: [description, who].filter(Boolean).join(' '),
    tags: [tagOf(path)],
    ...(role === 'public' && { security: [] }),
    parameters: [...pathParameters(path), ...queryParameters(route.query), ...headerParameters(operation)],
    ...(method !== 'GET' &&
      method !== 'DELETE' && {
        requestBody: {
          required: body !== undefined,
          content: { 'application/json': { schema: body ?? emptyBody } },
        },
      }),
    responses: {
      [String(status)]: {
        description: 'Done',
        headers: {
          etag: { description: 'Identifies this version of the content', schema: { type: 'string' } },
        },
        content: { 'application/json': { schema } },
      },
      ...(method === 'GET' && { '304': { description: 'The client already has this content' } }),
      ...problemsOf(operation, role),
    },
  }
}

function problemsOf(operation: OperationName, role: AnyRoute['role']): JsonObject {
  const codes = [
    400,
    ...(role === 'public' ? [401, 423] : [401]),
    403,
    404,
    409,
    ...(changesWithEtag.has(operation) ? [412, 428] : []),
    ...(operation === 'decide' || operation === 'answerQuestion' ? [423] : []),
  ]
  const problem = {
    description: 'Refused',
    content: { 'application/problem+json': { schema: schemaRef('Problem') } },
  }
  return Object.fromEntries([...codes, 'default'].map((code) => [String(code), problem]))
}

function pathParameters(path: string): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 300 },
  }))
}

function queryParameters(query: AnyRoute['query']): JsonObject[] {
  return Object.entries(query ?? {}).map(([name, { description, 'x-required': required, ...schema }]) => ({
    name,
    in: 'query',
    ...(description !== undefined && { description }),
    ...(required === true && { required: true }),
    schema,
  }))
}

function headerParameters(operation: OperationName): JsonObject[] {
  const header = (name: string, required: boolean, description: string) => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  })
  return [
    ...(changesWithEtag.has(operation)
      ? [header('If-Match', true, 'The ETag of the version that you read')]
      : []),
    ...(operationsWithKey.has(operation)
      ? [
          header(
            'Idempotency-Key',
            false,
            'To retry a request whose answer you did not receive, send the same key',
          ),
        ]
      : []),
  ]
}

function describeEvents(): JsonObject {
  const header = {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Same as `after`, and takes precedence over it',
    schema: { type: 'string' },
  }
  return {
    operationId: 'events',
    summary: 'Follow events',
    description:
      'A stream of server-sent events. Each event has an id: pass it as `after` to continue exactly there. `event: reset` means that the server cannot continue from that id: reload everything. Needs the role viewer.',
    tags: ['home'],
    parameters: [...queryParameters(eventsQuery), header],
    responses: {
      '200': {
        description: 'The stream',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      ...problemsOf('events', 'viewer'),
    },
  }
}
