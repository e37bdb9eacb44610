import type { JsonObject, ModelRequest } from '@cadre/core'
import { expect, test } from 'vitest'
import { messagesApi } from './anthropic/messages-api.ts'
import { isStrict } from './http/output-schema.ts'
import type { ServerApi } from './http/server-api.ts'
import { chatCompletions } from './openai/chat-completions.ts'
import { responsesApi } from './responses/responses-api.ts'

const closed: JsonObject = {
  type: 'object',
  properties: { ok: { type: 'boolean' } },
  required: ['ok'],
  additionalProperties: false,
}
const open: JsonObject = { type: 'object', properties: { ok: { type: 'boolean' } } }

const request = (outputSchema?: JsonObject): ModelRequest => ({
  agent: 'lead',
  session: 'lead-1',
  round: 1,
  system: '',
  messages: [{ role: 'user', content: 'x' }],
  tools: [],
  ...(outputSchema && { outputSchema }),
})

const apis: readonly [string, ServerApi<object>, (schema: JsonObject, strict: boolean) => object][] = [
  [
    'chat completions',
    chatCompletions(true) as ServerApi<object>,
    (schema, strict) => ({
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema, strict } },
    }),
  ],
  [
    'Responses',
    responsesApi({ id: 'responses:m', reasoningEffort: undefined }) as ServerApi<object>,
    (schema, strict) => ({ text: { format: { type: 'json_schema', name: 'output', schema, strict } } }),
  ],
  [
    'Messages',
    messagesApi({ id: 'anthropic:m', maxOutput: 100, thinkingTokens: undefined }) as ServerApi<object>,
    (schema, strict) => (strict ? { output_config: { format: { type: 'json_schema', schema } } } : {}),
  ],
]

test.each(apis)(
  '%s: sends the schema of the reply, and not to a server that refused it',
  (_, api, expected) => {
    const body = (schema: JsonObject | undefined, quirks = api.noQuirks) =>
      JSON.parse(api.body('m', request(schema), quirks)) as JsonObject
    const [key = ''] = Object.keys(expected(closed, true))
    expect(body(closed)).toMatchObject(expected(closed, true))
    expect(body(open)).toMatchObject(expected(open, false))
    expect(body(undefined)).not.toHaveProperty(key)
    for (const text of [`${key} is not supported`, 'Bad request']) {
      const refused = { kind: 'status', status: 400, text, headers: {} } as unknown as Parameters<
        typeof api.adapt
      >[1]
      const quirks = api.adapt(api.noQuirks, refused, request(closed))
      expect(quirks).toMatchObject({ withoutSchema: true })
      expect(body(closed, quirks as object)).not.toHaveProperty(key)
      // It is not asked a third time.
      expect(api.adapt(quirks as object, refused, request(closed))).toBeUndefined()
      expect(api.lasting(quirks as object)).toMatchObject({ withoutSchema: true })
    }
  },
)

test.each<[boolean, JsonObject]>([
  [true, closed],
  [false, open],
  [false, { type: 'array', items: closed }],
  [false, { ...closed, properties: { ok: open } }],
  [false, { ...closed, properties: { ok: {}, other: {} } }],
  [true, { ...closed, properties: { ok: { type: 'array', items: closed } } }],
])('is strict: %s', (expected, schema) => {
  expect(isStrict(schema)).toBe(expected)
})
