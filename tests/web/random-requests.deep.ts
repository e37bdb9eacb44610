/** Random requests to every route, made from its own schemas: valid ones, almost valid ones and nonsense. */
import { type OperationName, operations } from '@cadre/api'
import { checkSchema, type JsonObject } from '@cadre/core'
import { say } from '@cadre/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type AnyRoute, changesWithEtag } from '../../packages/server/src/http/http-route.ts'
import { askingEntries, writeSession } from '../../packages/server/src/http/page.spec-helpers.ts'
import { allRoutes } from '../../packages/server/src/http/routes/all-routes.ts'
import { hostileNames, startTestServer } from '../../packages/server/src/http/routes/routes.spec-helpers.ts'
import { components } from '../../packages/server/src/http/schemas.ts'
import { arbitraryOf } from './support/arbitrary-of.ts'

interface Request {
  readonly target: string
  readonly body: unknown
  readonly headers: Record<string, string>
}

const known = ['lead-1', 'lead-2', 'worker', 'call-1', 'todo', 'missing']
/** As it is in an address: some are hostile, none is a file. */
const parameter = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...known) },
  { weight: 1, arbitrary: fc.constantFrom(...hostileNames) },
  {
    weight: 1,
    arbitrary: fc
      .string({ minLength: 1, maxLength: 40 })
      .map((text) => encodeURIComponent(text.toWellFormed())),
  },
)

function requestTo(operation: OperationName, route: AnyRoute): fc.Arbitrary<Request> {
  const [method, path] = operations[operation]
  const parts = path.split(/(\{\w+\})/)
  const filled = fc.tuple(...parts.map((part) => (part.startsWith('{') ? parameter : fc.constant(part))))
  const query = fc.record(
    Object.fromEntries(
      Object.entries(route.query ?? {}).map(([name, schema]) => [
        name,
        fc.oneof({ weight: 4, arbitrary: arbitraryOf(schema, components) }, fc.string()),
      ]),
    ),
    { requiredKeys: [] },
  )
  const valid = arbitraryOf(route.body ?? {}, components)
  const almost = fc
    .tuple(valid, fc.string(), fc.jsonValue({ maxDepth: 3 }))
    .map(([value, key, other]) => ({ ...(value as object), [key]: other }))
  const body = fc.oneof(
    { weight: 5, arbitrary: valid },
    { weight: 2, arbitrary: almost },
    { weight: 1, arbitrary: fc.jsonValue() },
  )
  const match = fc.constantFrom('"AAAA"', '*', '', 'W/"x"', '"'.repeat(9))
  return fc.tuple(filled, query, body, match).map(([address, values, sent, etag]) => ({
    target: `${address.join('')}${searchOf(values as Record<string, unknown>)}`,
    body: method === 'GET' || method === 'DELETE' ? undefined : (sent ?? null),
    headers: changesWithEtag.has(operation) ? { 'if-match': etag } : {},
  }))
}

function searchOf(values: Record<string, unknown>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one).toWellFormed())
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

it('answers every random request according to its schema, or returns a problem', async () => {
  const server = await startTestServer({
    lanes: { worker: Array.from({ length: 500 }, () => say('Done.')) },
    prepare(home) {
      home.folder('sessions')
      writeSession(home, 'lead-1', askingEntries())
      writeSession(home, 'lead-2', askingEntries('rm -rf build', 'call-2'))
    },
  })
  const headers = await server.logIn('ann', ['admin'])
  const wrong: unknown[] = []
  for (const [name, route] of Object.entries(allRoutes)) {
    const operation = name as OperationName
    // These end the login of this test.
    if (route === undefined || operation === 'logout') continue
    const [method] = operations[operation]
    const schema: JsonObject = { ...route.schema, components: { schemas: components } } as JsonObject
    const send = async (request: Request) => {
      const answer = await server.ask(request.target, {
        method,
        body: request.body,
        headers: { ...headers, ...request.headers },
      })
      const { status } = answer
      if (status >= 500) throw new Error(`${status} ${answer.text}`)
      if (status >= 400) {
        expect(answer.headers['content-type']).toContain('application/problem+json')
        expect(answer.json()).toMatchObject({ status, title: expect.stringMatching(/\S/) })
      } else if (status !== 304) expect(checkSchema(schema, answer.json())).toEqual([])
    }
    await fc
      .assert(fc.asyncProperty(requestTo(operation, route), send), { numRuns: 40 })
      .catch((error: unknown) => wrong.push([operation, error]))
  }
  expect(wrong).toEqual([])
})
