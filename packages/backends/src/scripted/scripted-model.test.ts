import { CadreError, type ModelRequest } from '@cadre/core'
import { createFakeClock } from '@cadre/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ask,
  askFor,
  failureOf,
  messagesAfter,
  neverAborted,
  noHooks,
  question,
} from '../ask.spec-helpers.ts'
import { createScriptedModels, scriptedModel } from './create-scripted-models.ts'

describe('a reply', () => {
  const results = [
    ...messagesAfter(1),
    { role: 'tool_result', tool_call_id: 'x', content: 'second' },
    { role: 'user', content: 'and a word' },
  ] as const

  it('is filled in from the request, and similar text is kept', async () => {
    const model = scriptedModel({
      lanes: {
        lead: [{ reply: '{{ round }}|{{work}}|{{result 2}}|{{last}}|\\{{last}}|{{ .Values.x }}|{{}}' }],
      },
    })
    const { content } = await askFor(model, { messages: results })
    expect(content).toBe(
      '1|Do it.|second|result of call_1_1\nsecond\nand a word|{{last}}|{{ .Values.x }}|{{}}',
    )
  })

  it('never fills in external text', async () => {
    const model = scriptedModel({ lanes: { lead: [{ reply: '{{last}}' }] } })
    expect(await askFor(model, { messages: [{ role: 'user', content: '{{work}}' }] })).toMatchObject({
      content: '{{work}}',
    })
  })

  it('is filled in with the match, and fails if there was none', async () => {
    const pattern = { matches: '/result of (\\w+)/' }
    const model = scriptedModel({ lanes: { lead: [{ expect: pattern, reply: '{{found}}|{{found 1}}' }] } })
    expect((await askFor(model, { messages: results })).content).toBe('result of call_1_1|call_1_1')
    const more = scriptedModel({ lanes: { lead: [{ expect: pattern, reply: '{{found 2}}' }] } })
    expect((await failureOf(more, { messages: results })).message).toContain(
      'uses {{found 2}}, which has no value',
    )
  })

  it('fails if a named result is missing', async () => {
    const model = scriptedModel({ lanes: { lead: [{ reply: '{{result 3}}' }] } })
    expect((await failureOf(model, { messages: results })).message).toContain(
      'uses {{result 3}}, which has no value',
    )
  })

  it('has calls with unique ids in the session, numbers where they stand alone, and raw arguments', async () => {
    const model = scriptedModel({
      lanes: {
        lead: [
          {
            calls: [
              {
                tool: 'probe',
                input: { i: '{{call}}', in: ['{{round}}', 'round {{round}}'], n: null },
                repeat: 2,
              },
              { tool: 'broken', arguments: '{"a":' },
              { tool: 'named', id: 'mine-{{round}}' },
            ],
            repeat: 2,
          },
        ],
      },
    })
    const { content, calls } = await askFor(model, { round: 2 })
    expect(content).toBeNull()
    expect(calls.map(({ id, function: { name, arguments: text } }) => [id, name, text])).toEqual([
      ['call_2_1', 'probe', '{"i":1,"in":[2,"round 2"],"n":null}'],
      ['call_2_2', 'probe', '{"i":2,"in":[2,"round 2"],"n":null}'],
      ['call_2_3', 'broken', '{"a":'],
      ['mine-2', 'named', '{}'],
    ])
  })

  it('arrives in the requested number of pieces, and never splits a character', async () => {
    const input = fc.tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.integer({ min: 1, max: 12 }))
    await fc.assert(
      fc.asyncProperty(input, async ([text, pieces]) => {
        fc.pre(!text.includes('{{'))
        const model = scriptedModel({ lanes: { lead: [{ reply: text, stream: pieces }] } })
        const { streamed: told } = await ask(model)
        expect(told.join('')).toBe(text)
        expect(told.length).toBeLessThanOrEqual(pieces)
        for (const piece of told) expect(piece.isWellFormed()).toBe(text.isWellFormed())
      }),
    )
  })

  it('includes the other values of the step', async () => {
    const model = scriptedModel({
      lanes: { lead: [{ reply: 'x', stop: 'length', usage: { input: 1, output: 2, cost: 0.5 } }] },
    })
    expect(await askFor(model)).toEqual({
      kind: 'reply',
      content: 'x',
      calls: [],
      stop: 'length',
      usage: { input: 1, output: 2, cost: 0.5 },
    })
  })

  it('is a failure if the step requires it', async () => {
    const model = scriptedModel({
      lanes: {
        lead: [
          { fail: { message: 'full in round {{round}}', code: 'timeout', tooLong: true } },
          { fail: 'no' },
        ],
      },
    })
    expect(await failureOf(model)).toEqual({
      kind: 'failed',
      code: 'timeout',
      message: 'full in round 1',
      tooLong: true,
    })
    expect(await failureOf(model, { round: 2 })).toEqual({ kind: 'failed', code: 'backend', message: 'no' })
  })

  it('to a request for a summary uses no line', async () => {
    const model = scriptedModel({ summary: 'short: {{work}}', lanes: { lead: [{ reply: 'x' }] } })
    expect(await askFor(model, { purpose: 'summary', agent: 'nobody' })).toMatchObject({
      content: 'short: Do it.',
    })
    expect(model.leftovers()).toHaveLength(1)
  })
})

describe('time', () => {
  it('passes only on the clock', async () => {
    const clock = createFakeClock()
    const model = scriptedModel(
      { lanes: { lead: [{ reply: 'abc', wait: 200, stream: { pieces: 3, every: 10 } }] } },
      { clock },
    )
    const told: string[] = []
    const text = (delta: string) => void told.push(delta)
    const reply = model.reply(question(), { ...noHooks, text }, neverAborted())
    clock.advance(199)
    await tick()
    expect(told).toEqual([])
    clock.advance(1)
    await tick()
    expect(told).toEqual(['a'])
    clock.advance(10)
    await tick()
    clock.advance(10)
    expect(await reply).toMatchObject({ content: 'abc' })
    expect(told).toEqual(['a', 'b', 'c'])
  })

  it.each([
    { hang: true },
    { reply: 'x', wait: 1_000_000 },
    { reply: 'xyz', stream: { pieces: 3, every: 1_000_000 } },
  ])('never delays a cancelled request: %j', async (step) => {
    const model = scriptedModel({ lanes: { lead: [step] } }, { clock: createFakeClock() })
    const controller = new AbortController()
    const answered = ask(model, {}, controller.signal)
    await tick()
    controller.abort()
    expect((await answered).reply).toMatchObject({ kind: 'failed', code: 'cancelled' })
    expect((await ask(model, {}, controller.signal)).reply).toMatchObject({ code: 'cancelled' })
  })

  it('answers nothing that was cancelled beforehand', async () => {
    const model = scriptedModel({ lanes: { lead: [{ calls: [{ tool: 't' }] }] } })
    expect((await ask(model, {}, AbortSignal.abort())).reply).toMatchObject({ code: 'cancelled' })
    expect(model.leftovers()).toHaveLength(1)
  })

  const tick = () => new Promise((resolve) => setImmediate(resolve))
})

describe('a catalogue of one scripted model', () => {
  it('finds it under every name and records each request', async () => {
    const requests: ModelRequest[] = []
    const models = createScriptedModels(
      { lanes: { lead: [{ reply: 'x' }] } },
      { name: 'mine', onRequest: (request) => requests.push(request) },
    )
    const found = await models.resolve('whatever')
    expect(found).toMatchObject({ kind: 'found', model: { id: 'scripted:mine' } })
    await askFor(models.model)
    expect(requests).toHaveLength(1)
  })

  it('rejects an invalid playbook before anything runs', () => {
    expect(() => scriptedModel({ lanes: { lead: [{ replay: 'x' } as never] } })).toThrow(CadreError)
  })
})
