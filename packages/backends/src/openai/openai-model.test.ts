import { answers, startWire, streamOf } from '@cadre/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ask, askFor, failureOf, neverAborted, noHooks, question } from '../ask.spec-helpers.ts'
import { systemClock } from '../pause.ts'
import { meet, openModel } from './open-model.spec-helpers.ts'

const { reply, whole, problem, raw } = answers
const ok = reply({ text: 'ok' })

describe('a request', () => {
  it('is sent and answered over the wire', async () => {
    const { wire, model } = await meet(
      [
        reply({
          text: 'Hello',
          pieces: 3,
          calls: [{ id: 'c', name: 't', input: { a: 1 } }],
          usage: { input: 5, output: 2 },
        }),
      ],
      {
        env: { OPENAI_API_KEY: 'sk-secret' },
        openai: { headers: { 'X-Team': 'blue' }, apiVersion: '2026-01-01', query: { a: 'b' } },
        models: { 'openai:m': { window: 1000, price: { input: 1, output: 2 } } },
      },
    )
    expect(model).toMatchObject({ id: 'openai:m', window: 1000, price: { input: 1, output: 2 } })
    const { reply: answer, streamed: told } = await ask(model)
    expect(answer).toEqual({
      kind: 'reply',
      content: 'Hello',
      calls: [{ id: 'c', type: 'function', function: { name: 't', arguments: '{"a":1}' } }],
      usage: { input: 5, output: 2 },
      model: 'wire',
    })
    expect(told).toEqual(['He', 'll', 'o'])
    const [request] = wire.requests
    expect(request).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      body: { model: 'm', stream: true },
    })
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer sk-secret',
      'x-team': 'blue',
      'content-type': 'application/json',
    })
    expect(Object.fromEntries(request!.query)).toEqual({ a: 'b', 'api-version': '2026-01-01' })
  })

  it('sends the key in the configured header', async () => {
    const { wire, model } = await meet([ok], {
      env: { OPENAI_API_KEY: 'abc' },
      openai: { keyHeader: 'api-key' },
    })
    await askFor(model)
    expect(wire.requests[0]?.headers).toMatchObject({ 'api-key': 'abc' })
    expect(wire.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  it('sends no key if there is none', async () => {
    const { wire, model } = await meet([ok])
    await askFor(model)
    expect(wire.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  it('goes to the address of its model if the address names it', async () => {
    const wire = await startWire([ok])
    onTestFinished(wire.close)
    const model = await openModel(`${wire.url}/deployments/{model}/`, {})
    await askFor(model)
    expect(wire.requests[0]?.path).toBe('/v1/deployments/m/chat/completions')
  })

  it('is answered for any split of the bytes', async () => {
    const bytes = Buffer.from(
      streamOf({ text: 'grüße 🎉 «ё»', calls: [{ id: 'c', name: 't', input: { é: '🎉' } }] })
        .join('')
        .replaceAll('\n', '\r\n'),
    )
    const { model } = await meet([raw(Array.from(bytes, (byte) => Uint8Array.of(byte)))])
    expect(await askFor(model)).toMatchObject({
      content: 'grüße 🎉 «ё»',
      calls: [{ function: { arguments: '{"é":"🎉"}' } }],
    })
  })

  it('is answered by a server that does not stream', async () => {
    const { model } = await meet([whole({ text: 'all at once', usage: { input: 1, output: 1 } })])
    const { reply: answer, streamed: told } = await ask(model)
    expect(answer).toMatchObject({ content: 'all at once', usage: { input: 1, output: 1 } })
    expect(told).toEqual(['all at once'])
  })

  it('ends when the server reports the end, even if the server keeps the connection', async () => {
    const { wire, model } = await meet([raw(streamOf({ text: 'done' }), { end: 'hang' })])
    expect(await askFor(model)).toMatchObject({ content: 'done' })
    await wire.requests[0]?.closed
  })

  it('reuses a connection', async () => {
    const { wire, model } = await meet(ok, { clock: systemClock })
    for (let time = 0; time < 20; time++) await askFor(model)
    expect(wire.connections).toBe(1)
  })

  it('is answered next to two hundred others, each with its own answer', async () => {
    const { wire, model } = await meet((request) => {
      const { messages } = request.body as { messages: { content: string }[] }
      return reply({ text: `you said ${messages.at(-1)?.content}`, pieces: 5 })
    })
    const numbers = Array.from({ length: 200 }, (_, index) => `${index}`)
    const answered = await Promise.all(
      numbers.map((content) => ask(model, { messages: [{ role: 'user', content }] })),
    )
    expect(answered.map(({ reply: answer }) => answer.kind === 'reply' && answer.content)).toEqual(
      numbers.map((n) => `you said ${n}`),
    )
    expect(answered.map(({ streamed: told }) => told.join(''))).toEqual(numbers.map((n) => `you said ${n}`))
    expect(wire.requests).toHaveLength(200)
  })

  it('rejects only with an error that the listener threw', async () => {
    const { model } = await meet([ok])
    const text = () => {
      throw new Error('listener')
    }
    await expect(model.reply(question(), { ...noHooks, text }, neverAborted())).rejects.toThrow('listener')
  })
})

describe('a server with limited features', () => {
  const body = (request: { body: unknown } | undefined) => request?.body as Record<string, unknown>

  it.each([
    problem(400, 'Unrecognized request argument supplied: stream_options'),
    raw(['{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}'], {
      status: 422,
    }),
    problem(400, 'unknown field in request'),
  ])('is retried without usage, once, and this is remembered', async (refusal) => {
    const { wire, model } = await meet([refusal, ok, ok])
    await askFor(model)
    await askFor(model)
    expect(wire.requests.map((request) => 'stream_options' in body(request))).toEqual([true, false, false])
  })

  // Some servers ignore one of them, others reject the other: both are sent until a server's error shows which it accepts.
  it.each([
    ["Unsupported parameter: 'max_completion_tokens'. Use 'max_tokens' instead.", 'max_tokens'],
    ["Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", 'max_completion_tokens'],
    [
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      'max_completion_tokens',
    ],
  ])(
    'is retried with the limit parameter that it accepts, and this is remembered: %s',
    async (says, taken) => {
      const { wire, model } = await meet([problem(400, says), ok, ok])
      await askFor(model, { maxOutput: 10 })
      await askFor(model, { maxOutput: 20 })
      expect(
        wire.requests.map((request) =>
          ['max_completion_tokens', 'max_tokens'].filter((name) => name in body(request)),
        ),
      ).toEqual([['max_completion_tokens', 'max_tokens'], [taken], [taken]])
      expect(body(wire.requests[2])[taken]).toBe(20)
    },
  )

  it('that accepts no limit on the reply gets no request without one, and the failure names a fix', async () => {
    const { wire, model } = await meet([
      problem(400, 'Unrecognized request argument: max_completion_tokens'),
      problem(400, 'Unrecognized request argument: max_tokens'),
    ])
    expect(await failureOf(model, { maxOutput: 10 })).toMatchObject({
      code: 'backend',
      message: expect.stringContaining('Use another server or model, or remove the budget.'),
      spent: 'nothing',
    })
    expect(wire.requests).toHaveLength(2)
    expect(body(wire.requests[1])).toHaveProperty('max_tokens', 10)
  })

  it('is retried with a lower limit if it exceeds the model’s maximum', async () => {
    const refusal = problem(
      400,
      'max_completion_tokens is too large: 500000. This model supports at most 16384 completion tokens.',
    )
    const { wire, model } = await meet([refusal, ok, ok, ok])
    await askFor(model, { maxOutput: 500_000 })
    await askFor(model, { maxOutput: 400 })
    await askFor(model, { maxOutput: 600_000 })
    expect(wire.requests.map((request) => body(request)['max_completion_tokens'])).toEqual([
      500_000, 16_384, 400, 16_384,
    ])
  })

  it('can reject both', async () => {
    const { wire, model } = await meet([
      problem(400, 'stream_options?'),
      problem(400, 'unknown: max_completion_tokens'),
      ok,
    ])
    await askFor(model, { maxOutput: 10 })
    expect(wire.requests).toHaveLength(3)
  })

  it('is not adapted to if that was not the reason', async () => {
    const refusal = problem(400, 'stream_options and the moon')
    const { wire, model } = await meet([refusal, refusal, ok])
    await failureOf(model)
    await askFor(model)
    expect(body(wire.requests[2])).toHaveProperty('stream_options')
  })
})
