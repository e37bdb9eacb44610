import { operations } from '@cadre/api'
import { isObject, schemaFaults } from '@cadre/core'
import { expect, it } from 'vitest'
import { describeApi } from './openapi.ts'
import { allRoutes } from './routes/all-routes.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[]
  readonly responses: Record<string, object>
}

const document = describeApi(allRoutes, { version: '1.2.3', port: 7373 }) as unknown as {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, object> }
}
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
)

it('describes every route once, where the client sends it', () => {
  const wanted = [...Object.keys(allRoutes), 'events'].toSorted()
  expect(described.map(({ operationId }) => operationId).toSorted()).toEqual(wanted)
  for (const { operationId, method, path, parameters } of described) {
    expect([method.toUpperCase(), path]).toEqual([...operations[operationId as keyof typeof operations]])
    const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => name)
    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
  }
})

it('contains only schemas that Cadre can check, and no references to missing schemas', () => {
  const references: string[] = []
  const visit = (value: unknown) => {
    if (Array.isArray(value)) value.forEach(visit)
    if (!isObject(value)) return
    if (typeof value['$ref'] === 'string') references.push(value['$ref'])
    Object.values(value).forEach(visit)
  }
  visit(document)
  for (const reference of new Set(references)) {
    const name = /^#\/components\/schemas\/(\w+)$/.exec(reference)?.[1]
    expect(Object.keys(document.components.schemas)).toContain(name)
  }
  for (const route of Object.values(allRoutes)) {
    for (const schema of [route.schema, route.body ?? {}, ...Object.values(route.query ?? {})]) {
      const { 'x-required': _, ...rest } = schema as Record<string, unknown>
      // A separate schema needs its referenced schemas in `$defs`.
      const text = JSON.stringify({ ...rest, $defs: document.components.schemas })
      const alone: unknown = JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'))
      expect([route.operation, schemaFaults(alone)]).toEqual([route.operation, []])
    }
  }
})

it('describes each operation in one line that starts with a verb, and lists its errors', () => {
  for (const { operationId, summary, responses } of described) {
    expect([operationId, summary]).toEqual([operationId, expect.stringMatching(/^[A-Z][a-z]+ .*[^.]$/)])
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '403', 'default']))
  }
})
