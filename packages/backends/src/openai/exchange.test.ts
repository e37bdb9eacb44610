import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '@cadre/core'
import { answers, createFakeClock, streamOf } from '@cadre/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ask, failureOf, fastClock, neverAborted, noHooks, question } from '../ask.spec-helpers.ts'
import { meet, openModel } from './open-model.spec-helpers.ts'

const { reply, problem, raw, hang, reset } = answers
const ok = reply({ text: 'ok' })

describe('cancelling', () => {
  it.each([
    ['before the answer', hang()],
    ['in the middle of an error', raw(['{"error'], { status: 500, end: 'hang' })],
  ])('%s ends it immediately and closes the connection', async (_, answer) => {
    const { wire, model } = await meet([answer], { clock: createFakeClock() })
    const controller = new AbortController()
    const answered = ask(model, {}, controller.signal)
    const request = await wire.received(1)
    controller.abort()
    expect((await answered).reply).toEqual(cancelled)
    await request.closed
    expect(wire.requests).toHaveLength(1)
  })

  it('in the middle of a stream ends it immediately and closes the connection', async () => {
    const { wire, model } = await meet([raw(streamOf({ text: 'first' }).slice(0, 2), { end: 'hang' })])
    const controller = new AbortController()
    const hooks = { ...noHooks, text: () => controller.abort() }
    expect(await model.reply(question(), hooks, controller.signal)).toEqual(cancelled)
    await wire.requests[0]?.closed
  })

  it('during a pause before a retry ends it', async () => {
    const controller = new AbortController()
    // The first short wait is the one before the next attempt.
    const clock: Clock = {
      now: () => 0,
      after: (ms) => {
        if (ms < 60_000) setImmediate(() => controller.abort())
        return () => {}
      },
    }
    const { wire, model } = await meet(problem(500, 'boom'), { clock })
    expect((await ask(model, {}, controller.signal)).reply).toEqual(cancelled)
    expect(wire.requests).toHaveLength(1)
  })

  it('beforehand sends nothing', async () => {
    const { wire, model } = await meet([ok])
    expect((await ask(model, {}, AbortSignal.abort())).reply).toEqual({ ...cancelled, spent: 'nothing' })
    expect(wire.requests).toHaveLength(0)
  })

  const cancelled = { kind: 'failed', code: 'cancelled', message: 'the request was cancelled.' }
})

describe('silence', () => {
  it.each([
    ['from the start', hang()],
    ['in the middle of a stream', raw(streamOf({ text: 'x' }).slice(0, 2), { end: 'hang' })],
  ])('%s ends the request at the timeout', async (_, answer) => {
    const clock = createFakeClock()
    const { wire, model } = await meet(answer, { clock, openai: { tries: 1 } })
    const answered = ask(model)
    await wire.received(1)
    clock.advance(120_000)
    const origin = new URL(wire.url).origin
    const message = `the model server ${origin} sent nothing for 120 seconds. The server may be busy, loading a model, or behind a proxy. Check OPENAI_BASE_URL, or openai.baseUrl in config.yaml.`
    expect((await answered).reply).toEqual({ kind: 'failed', code: 'timeout', message })
    await wire.requests[0]?.closed
  })

  it('is retried once', async () => {
    const clock = createFakeClock()
    const hurried = fastClock()
    const after: Clock['after'] = (ms, callback) => (ms < 60_000 ? hurried : clock).after(ms, callback)
    const { wire, model } = await meet(hang(), { clock: { now: clock.now, after } })
    const answered = ask(model)
    await wire.received(1)
    clock.advance(120_000)
    await wire.received(2)
    clock.advance(120_000)
    expect((await answered).reply).toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/ Tried 2 times\.$/),
    })
  })

  it('does not include a slow stream', async () => {
    const clock = createFakeClock()
    const events = streamOf({ text: 'abc', pieces: 3 })
    const gates = events.map(() => deferred())
    const slowly = (async function* () {
      for (const [index, event] of events.entries()) {
        await gates[index]?.passed
        yield event
      }
    })()
    const { model } = await meet([raw(slowly)], { clock, openai: { idleTimeout: 1000, tries: 1 } })
    const told: string[] = []
    const text = (delta: string) => {
      told.push(delta)
      // Just below the timeout after every piece; in total much longer than the timeout.
      clock.advance(999)
      gates[told.length + 1]?.pass()
      if (told.length === 3) for (const gate of gates) gate.pass()
    }
    gates[0]?.pass()
    gates[1]?.pass()
    const reply = await model.reply(question(), { ...noHooks, text }, neverAborted())
    expect(reply).toMatchObject({ content: 'abc' })
  })

  function deferred() {
    let pass = () => {}
    const passed = new Promise<void>((resolve) => {
      pass = resolve
    })
    return { passed, pass }
  }
})

describe('a rejection that arrives before the whole request was sent', () => {
  it('is the result', async () => {
    const server = createServer((_, response) => {
      response.writeHead(413, { connection: 'close' }).end('{"error":{"message":"too big"}}')
    })
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const model = await openModel(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      openai: { tries: 1 },
    })
    const messages = [{ role: 'user', content: 'x'.repeat(8_000_000) }] as const
    expect(await failureOf(model, { messages })).toMatchObject({
      tooLong: true,
      message: expect.stringContaining('413: too big'),
    })
  })
})

describe('however a request ends', () => {
  it.each([
    ['answered', ok],
    ['answered without an end', raw(streamOf({ text: 'x' }), { end: 'hang' })],
    ['refused', problem(400, 'no')],
    ['broken', reset()],
    ['cancelled', hang()],
  ])('no timer is left: %s', async (how, answer) => {
    const running = new Set<object>()
    const clock: Clock = {
      now: () => 0,
      after(ms, callback) {
        const timer = {}
        running.add(timer)
        // The short waits are for an end or a retry; the long one is the idle timeout.
        if (ms < 60_000) setImmediate(() => running.delete(timer) && callback())
        return () => running.delete(timer)
      },
    }
    const { wire, model } = await meet(answer, { clock, openai: { tries: 2 } })
    const controller = new AbortController()
    const answered = ask(model, {}, controller.signal)
    await wire.received(1)
    if (how === 'cancelled') controller.abort()
    await answered
    expect(running.size).toBe(0)
  })
})
