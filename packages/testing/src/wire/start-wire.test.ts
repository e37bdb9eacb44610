import { Agent, request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { startWire, type Wire } from './start-wire.ts'
import { answers } from './wire-answer.ts'
import { completionOf, streamOf } from './wire-reply.ts'

interface Got {
  readonly status: number | undefined
  readonly chunks: Buffer[]
  readonly error: string | undefined
}

/** Sends a request with a plain client, which hides no errors. */
function ask(
  wire: Wire,
  { path = '/chat/completions', body = '{"a":1}', agent = new Agent() } = {},
): Promise<Got> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const method = path.endsWith('/models') ? 'GET' : 'POST'
    const asked = request(wire.url + path, { method, agent }, (response) => {
      const end = (error?: NodeJS.ErrnoException) =>
        resolve({ status: response.statusCode, chunks, error: error?.code })
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => end())
      response.on('error', end)
    })
    asked.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ status: undefined, chunks, error: error.code }),
    )
    asked.end(method === 'GET' ? undefined : body)
  })
}

const textOf = (got: Got) => Buffer.concat(got.chunks).toString()

describe('the wire', () => {
  it('answers in order, records requests, and reports too many requests', async () => {
    await using wire = await startWire([answers.reply({ text: 'one' }), answers.whole({ text: 'two' })])
    expect(textOf(await ask(wire, { path: '/chat/completions?x=1' }))).toBe(
      streamOf({ text: 'one' }).join(''),
    )
    expect(JSON.parse(textOf(await ask(wire)))).toEqual(completionOf({ text: 'two' }))
    const third = await ask(wire)
    expect(third.status).toBe(500)
    expect(textOf(third)).toContain('the fake server has 2 scripted answers, but this is request 3')
    expect(wire.requests.map(({ number, method, path, body }) => ({ number, method, path, body }))).toEqual(
      [1, 2, 3].map((number) => ({ number, method: 'POST', path: '/v1/chat/completions', body: { a: 1 } })),
    )
    expect(wire.requests[0]?.query.get('x')).toBe('1')
  })

  it('can decide for each request', async () => {
    await using wire = await startWire(({ text }) =>
      answers.problem(418, text, { code: 'teapot', headers: { 'x-a': 'b' } }),
    )
    const got = await ask(wire, { body: 'hello' })
    expect(got.status).toBe(418)
    expect(JSON.parse(textOf(got))).toEqual({ error: { message: 'hello', code: 'teapot' } })
    expect(wire.requests[0]?.body).toBeUndefined()
  })

  it('writes each piece separately and unchanged', async () => {
    const pieces = [Uint8Array.of(0xf0, 0x9f), Uint8Array.of(0x8e, 0x89), 'x']
    await using wire = await startWire(answers.raw(pieces))
    expect((await ask(wire)).chunks.map((chunk) => [...chunk])).toEqual([[0xf0, 0x9f], [0x8e, 0x89], [0x78]])
  })

  it('holds back a piece as long as the test wants', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const slowly = (async function* () {
      yield 'a'
      await held
      yield 'b'
    })()
    await using wire = await startWire([answers.raw(slowly)])
    const got = ask(wire)
    await wire.received(1)
    release()
    expect(textOf(await got)).toBe('ab')
  })

  it.each(['cut', 'reset'] as const)('breaks off: %s', async (end) => {
    await using wire = await startWire(answers.raw(['a'], { end }))
    const got = await ask(wire)
    expect(got.error).toBe('ECONNRESET')
    if (end === 'cut') expect(textOf(got)).toBe('a')
  })

  it('closes the connection without an answer', async () => {
    await using wire = await startWire(answers.reset())
    expect(await ask(wire)).toMatchObject({ status: undefined, error: 'ECONNRESET' })
  })

  it('hangs until the client gives up, and notices that', async () => {
    await using wire = await startWire(answers.hang())
    const asked = request(`${wire.url}/chat/completions`, { method: 'POST' })
    asked.on('error', () => {})
    asked.end('{}')
    const received = await wire.received(1)
    asked.destroy()
    await received.closed
  })

  it('lists models, or answers that it cannot', async () => {
    await using listing = await startWire([], { models: ['a', 'b'] })
    expect(JSON.parse(textOf(await ask(listing, { path: '/models' })))).toMatchObject({
      data: [{ id: 'a' }, { id: 'b' }],
    })
    expect(await listing.listed(1)).toMatchObject({ method: 'GET', path: '/v1/models' })
    await using silent = await startWire([])
    expect((await ask(silent, { path: '/models' })).status).toBe(404)
    expect(silent.requests).toHaveLength(0)
  })

  it('keeps connections, and counts them', async () => {
    await using wire = await startWire(answers.reply({ text: 'x' }))
    const agent = new Agent({ keepAlive: true })
    for (let time = 0; time < 3; time++) await ask(wire, { agent })
    expect(wire.connections).toBe(1)
    agent.destroy()
  })

  it('closes with connections open', async () => {
    const wire = await startWire(answers.hang())
    const got = ask(wire)
    await wire.received(1)
    await wire.close()
    expect((await got).error).toBe('ECONNRESET')
  })
})

describe('a reply on the wire', () => {
  it('is a stream of events', () => {
    const events = streamOf({
      text: 'grüße',
      pieces: 2,
      calls: [
        { name: 'a', input: { b: 1 } },
        { id: 'x', name: 'c', input: '{' },
      ],
      usage: { input: 1, output: 2 },
      done: false,
    })
    const values = events.map((event) => JSON.parse(event.slice('data: '.length)))
    expect(values.flatMap((value) => value.choices[0]?.delta.content || [])).toEqual(['grü', 'ße'])
    expect(
      values
        .flatMap((value) => value.choices[0]?.delta.tool_calls ?? [])
        .map((call) => [call.index, call.id, call.function.arguments]),
    ).toEqual([
      [0, 'call_wire_1', ''],
      [0, undefined, '{"b":1}'],
      [1, 'x', ''],
      [1, undefined, '{'],
    ])
    expect(values.at(-2).choices[0].finish_reason).toBe('tool_calls')
    expect(values.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    })
  })
})
