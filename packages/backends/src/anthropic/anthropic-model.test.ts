import type { Message } from '@cadre/core'
import { answers } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { ask, askFor, failureOf } from '../ask.spec-helpers.ts'
import { meetServer, recorded } from '../http/recorded.spec-helpers.ts'

const { problem, raw } = answers
const name = 'anthropic:claude-sonnet-4-5'
const meet = (script: Parameters<typeof meetServer>[0], anthropic = {}, env = {}) =>
  meetServer(script, name, { anthropic }, env)

const start = {
  type: 'message_start',
  message: {
    model: 'claude-sonnet-4-5-20250929',
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: 60,
      output_tokens: 1,
    },
  },
}
const block = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
})
const delta = (index: number, value: object) => ({ type: 'content_block_delta', index, delta: value })
const end = (stop_reason: string, output_tokens = 20) => [
  { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens } },
  { type: 'message_stop' },
]
const text = (content: string) => [
  start,
  block(0, { type: 'text', text: '' }),
  delta(0, { type: 'text_delta', text: content }),
  ...end('end_turn'),
]

/** A reply that thinks, speaks and calls two tools. */
const thoughtful = [
  start,
  { type: 'ping' },
  block(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'Read it ' }),
  delta(0, { type: 'thinking_delta', thinking: 'first.' }),
  delta(0, { type: 'signature_delta', signature: 'c2ln+/=' }),
  block(1, { type: 'redacted_thinking', data: 'b3BhcXVl' }),
  block(2, { type: 'text', text: '' }),
  delta(2, { type: 'text_delta', text: 'Reading ' }),
  delta(2, { type: 'text_delta', text: 'both.' }),
  block(3, { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} }),
  delta(3, { type: 'input_json_delta', partial_json: '{"path":' }),
  delta(3, { type: 'input_json_delta', partial_json: '"a"}' }),
  block(4, { type: 'tool_use', id: 'toolu_2', name: 'list', input: {} }),
  ...end('tool_use', 50),
]

const offer = { name: 'read_file', description: 'Reads', parameters: { type: 'object' } }

describe('a model with the Messages API', () => {
  it('streams text, calls, thinking and usage', async () => {
    const { wire, model } = await meet([recorded(thoughtful)], {}, { ANTHROPIC_API_KEY: 'sk-ant-0123456789' })
    const { reply, streamed: told } = await ask(model, { tools: [offer] })
    expect(told).toEqual(['Reading ', 'both.'])
    expect(reply).toEqual({
      kind: 'reply',
      content: 'Reading both.',
      calls: [
        { id: 'toolu_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } },
        { id: 'toolu_2', type: 'function', function: { name: 'list', arguments: '{}' } },
      ],
      reasoning: {
        by: name,
        items: [
          { at: 0, item: { type: 'thinking', thinking: 'Read it first.', signature: 'c2ln+/=' } },
          { at: 0, item: { type: 'redacted_thinking', data: 'b3BhcXVl' } },
        ],
      },
      usage: { input: 100, output: 50, cacheRead: 60, cacheWrite: 30 },
      model: 'claude-sonnet-4-5-20250929',
    })
    const [request] = wire.requests
    expect(request?.path).toBe('/v1/messages')
    expect(request?.headers).toMatchObject({
      'x-api-key': 'sk-ant-0123456789',
      'anthropic-version': '2023-06-01',
    })
    expect(request?.headers.authorization).toBeUndefined()
    expect(request?.body).toMatchObject({ model: 'claude-sonnet-4-5', max_tokens: 64_000, stream: true })
  })

  it('gets its own thinking back before the calls it led to', async () => {
    const { wire, model } = await meet(recorded(text('ok')), { thinkingTokens: 4000 })
    const called = (by: string): Message[] => [
      { role: 'user', content: 'Do it.' },
      {
        role: 'assistant',
        content: 'Reading.',
        tool_calls: [
          { id: 'a.1', type: 'function', function: { name: 'x', arguments: '{"p":1}' } },
          { id: 'b', type: 'function', function: { name: 'y', arguments: '{broken' } },
        ],
        reasoning: {
          by,
          items: [
            { at: 0, item: { type: 'thinking', thinking: 't', signature: 's' } },
            { at: 2, item: { type: 'thinking', thinking: 'u', signature: 'v' } },
          ],
        },
      },
      {
        role: 'tool_result',
        tool_call_id: 'a.1',
        content: 'one',
        images: [{ mime: 'image/png', data: 'AAAA' }],
      },
      { role: 'tool_result', tool_call_id: 'b', content: '' },
      { role: 'user', content: 'And now?' },
    ]
    await askFor(model, { messages: called(name), tools: [offer] })
    await askFor(model, { messages: called('anthropic:other'), tools: [offer] })
    const cache_control = { type: 'ephemeral' }
    const [own, other] = wire.requests.map(({ body }) => body as { messages: unknown[]; thinking?: unknown })
    expect(own).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: 4000 },
      system: [{ type: 'text', text: 'You lead.', cache_control }],
      tools: [{ name: 'read_file', input_schema: { type: 'object' }, cache_control }],
    })
    expect(own?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Do it.', cache_control }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 't', signature: 's' },
          { type: 'text', text: 'Reading.' },
          { type: 'tool_use', id: 'a_1', name: 'x', input: { p: 1 } },
          { type: 'thinking', thinking: 'u', signature: 'v' },
          { type: 'tool_use', id: 'b', name: 'y', input: { invalid: '{broken' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'a_1',
            content: [
              { type: 'text', text: 'one' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            ],
          },
          { type: 'tool_result', tool_use_id: 'b', content: [] },
          { type: 'text', text: 'And now?', cache_control },
        ],
      },
    ])
    // The API rejects thinking about calls that were made without thinking.
    expect(other?.thinking).toBeUndefined()
    expect(JSON.stringify(other?.messages)).not.toContain('signature')
  })

  it.each([
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'filtered'],
    ['end_turn', undefined],
  ])('reports why a reply stopped: %s', async (reason, stop) => {
    const { model } = await meet([recorded([...text('x').slice(0, 3), ...end(reason)])])
    expect((await askFor(model)).stop).toBe(stop)
  })

  it('respects the limit of a budget, and lowers it as the server requires', async () => {
    const { wire, model } = await meet([
      problem(400, 'max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens'),
      recorded(text('ok')),
      recorded(text('ok')),
      problem(400, 'input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000, decrease it'),
      recorded(text('ok')),
    ])
    for (const maxOutput of [9000, 9000, 9000]) await askFor(model, { maxOutput })
    expect(wire.requests.map(({ body }) => (body as { max_tokens: number }).max_tokens)).toEqual([
      9000, 8192, 8192, 8192, 5000,
    ])
    expect(model.capsReplies).toBe(true)
  })

  it.each([
    ['529', problem(529, 'Overloaded')],
    ['429', problem(429, 'slow down', { headers: { 'retry-after': '3' } })],
    [
      'an overloaded server in the middle',
      recorded([start, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }]),
    ],
    ['a stream that ends too early', recorded(text('o').slice(0, 3))],
    ['a broken stream', recorded(text('o').slice(0, 3), { end: 'cut' })],
    ['an event that is not JSON', raw(['event: message_start\ndata: {"type":\n\n'])],
  ])('is retried after %s', async (_, first) => {
    const { wire, model } = await meet([first, recorded(text('ok'))])
    const { reply, streamed: told } = await ask(model)
    expect(reply).toMatchObject({ kind: 'reply', content: 'ok' })
    expect(told.join('')).toMatch(/^ok?$/)
    expect(wire.requests).toHaveLength(2)
  })

  it.each([
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', { tooLong: true }],
    [
      401,
      'authentication_error',
      'invalid x-api-key',
      { message: expect.stringContaining('Check ANTHROPIC_API_KEY.') },
    ],
    [404, 'not_found_error', 'model: claude-x', { code: 'unknown_model' }],
    [400, 'invalid_request_error', 'Your credit balance is too low', { code: 'backend', spent: 'nothing' }],
  ])('fails immediately with %i %s: %s', async (status, type, message, expected) => {
    const body = JSON.stringify({ type: 'error', error: { type, message } })
    const { wire, model } = await meet(
      [raw([body], { status })],
      {},
      { ANTHROPIC_API_KEY: 'sk-ant-0123456789' },
    )
    expect(await failureOf(model)).toMatchObject(expected)
    expect(wire.requests).toHaveLength(1)
  })

  it('reads a message that is not streamed', async () => {
    const whole = {
      type: 'message',
      model: 'm',
      content: [
        { type: 'text', text: 'hi' },
        { type: 'tool_use', id: 't', name: 'x', input: { a: 1 } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 2 },
    }
    const { model } = await meet([raw([JSON.stringify(whole)])])
    expect(await askFor(model)).toMatchObject({
      content: 'hi',
      calls: [{ id: 't', function: { name: 'x', arguments: '{"a":1}' } }],
      usage: { input: 1, output: 2 },
    })
  })
})
