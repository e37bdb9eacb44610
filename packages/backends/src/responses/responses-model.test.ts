import type { Message } from '@cadre/core'
import { answers } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { ask, askFor, failureOf } from '../ask.spec-helpers.ts'
import { meetServer, recorded } from '../http/recorded.spec-helpers.ts'

const { problem, raw } = answers
const name = 'responses:gpt-5'
const meet = (script: Parameters<typeof meetServer>[0], openai = {}) => meetServer(script, name, { openai })

const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }
const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'read_file',
  arguments: '{"path":"a"}',
  status: 'completed',
}
const said = (content: object[]) => ({ type: 'message', id: 'msg_1', role: 'assistant', content })
const done = (output: object[], over: object = {}) => ({
  type: 'response.completed',
  response: {
    status: 'completed',
    model: 'gpt-5-2025-08-07',
    output,
    usage: { input_tokens: 100, output_tokens: 20, input_tokens_details: { cached_tokens: 64 } },
    ...over,
  },
})
const text = (content: string) => [
  { type: 'response.created', response: {} },
  { type: 'response.output_text.delta', output_index: 0, delta: content },
  done([said([{ type: 'output_text', text: content }])]),
]

const offer = { name: 'read_file', description: 'Reads', parameters: { type: 'object' } }

describe('a model with the Responses API', () => {
  it('streams text, calls, encrypted reasoning and usage', async () => {
    const message = said([{ type: 'output_text', text: 'Reading.' }])
    const items = [{ ...reasoning, status: 'completed' }, message, call]
    const { wire, model } = await meet([
      recorded([
        { type: 'response.created', response: {} },
        { type: 'response.output_text.delta', output_index: 1, delta: 'Read' },
        { type: 'response.output_text.delta', output_index: 1, delta: 'ing.' },
        ...items.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
        done([]),
      ]),
    ])
    const { reply, streamed: told } = await ask(model, { tools: [offer], maxOutput: 500 })
    expect(told).toEqual(['Read', 'ing.'])
    expect(reply).toEqual({
      kind: 'reply',
      content: 'Reading.',
      calls: [{ id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } }],
      reasoning: { by: name, items: [{ at: 0, item: reasoning }] },
      usage: { input: 100, output: 20, cacheRead: 64 },
      model: 'gpt-5-2025-08-07',
    })
    expect(wire.requests[0]?.path).toBe('/v1/responses')
    expect(wire.requests[0]?.body).toEqual({
      model: 'gpt-5',
      instructions: 'You lead.',
      input: [{ role: 'user', content: 'Do it.' }],
      tools: [{ type: 'function', ...offer, strict: false }],
      max_output_tokens: 500,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'lead-1',
      store: false,
      stream: true,
    })
  })

  it('gets its own reasoning back before what it led to', async () => {
    const { wire, model } = await meet(recorded(text('ok')), { reasoningEffort: 'low' })
    const messages = (by: string): Message[] => [
      { role: 'user', content: '', images: [{ mime: 'image/png', data: 'AAAA' }] },
      {
        role: 'assistant',
        content: 'Reading.',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'x', arguments: '{broken' } }],
        reasoning: { by, items: [{ at: 1, item: reasoning }] },
      },
      {
        role: 'tool_result',
        tool_call_id: 'c',
        content: 'one',
        images: [{ mime: 'image/png', data: 'BBBB' }],
      },
    ]
    await askFor(model, { messages: messages(name) })
    await askFor(model, { messages: messages('openai:gpt-5') })
    const inputs = wire.requests.map(({ body }) => (body as { input: object[] }).input)
    expect(inputs[0]).toEqual([
      { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }] },
      { role: 'assistant', content: 'Reading.' },
      reasoning,
      { type: 'function_call', call_id: 'c', name: 'x', arguments: '{"invalid":"{broken"}' },
      {
        type: 'function_call_output',
        call_id: 'c',
        output: [
          { type: 'input_text', text: 'one' },
          { type: 'input_image', image_url: 'data:image/png;base64,BBBB' },
        ],
      },
    ])
    expect(inputs[1]).toEqual(inputs[0]?.filter((item) => item !== inputs[0]?.[2]))
    expect(wire.requests[0]?.body).toMatchObject({ reasoning: { effort: 'low' } })
  })

  it.each([
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
    [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'filtered'],
    [{ output: [said([{ type: 'refusal', refusal: 'No.' }])] }, 'filtered'],
    [{}, undefined],
  ])('reports why a reply stopped: %j', async (over, stop) => {
    const { model } = await meet([
      recorded([
        { ...done([said([{ type: 'output_text', text: 'x' }])], over), type: 'response.incomplete' },
      ]),
    ])
    expect((await askFor(model)).stop).toBe(stop)
  })

  it('omits what the model does not support, and remembers it', async () => {
    const { wire, model } = await meet([
      problem(400, 'Encrypted content is not supported with this model.'),
      problem(400, "Unknown parameter: 'prompt_cache_key'."),
      recorded(text('ok')),
      recorded(text('ok')),
    ])
    await askFor(model)
    await askFor(model)
    const keys = wire.requests.map(({ body }) =>
      Object.keys(body as object).filter((key) => /include|cache/.test(key)),
    )
    expect(keys).toEqual([['include', 'prompt_cache_key'], ['prompt_cache_key'], [], []])
  })

  it.each([
    [
      'a failed response',
      recorded([{ type: 'response.failed', response: { error: { code: 'server_error', message: 'boom' } } }]),
    ],
    ['an error event', recorded([{ type: 'error', code: 'rate_limit_exceeded', message: 'slow down' }])],
    ['a stream that ends too early', recorded(text('o').slice(0, 2))],
  ])('is retried after %s', async (_, first) => {
    const { wire, model } = await meet([first, recorded(text('ok'))])
    expect(await askFor(model)).toMatchObject({ content: 'ok' })
    expect(wire.requests).toHaveLength(2)
  })

  it.each([
    [
      400,
      'context_length_exceeded',
      'Your input exceeds the context window of this model.',
      { tooLong: true },
    ],
    [404, 'model_not_found', 'The model `gpt-x` does not exist', { code: 'unknown_model' }],
  ])('fails immediately with %i %s', async (status, code, message, expected) => {
    const { wire, model } = await meet([problem(status, message, { code })])
    expect(await failureOf(model)).toMatchObject(expected)
    expect(wire.requests).toHaveLength(1)
  })

  it('reads a response that is not streamed', async () => {
    const { model } = await meet([
      raw([JSON.stringify(done([said([{ type: 'output_text', text: 'hi' }]), call]).response)]),
    ])
    expect(await askFor(model)).toMatchObject({ content: 'hi', calls: [{ id: 'call_1' }] })
  })
})
