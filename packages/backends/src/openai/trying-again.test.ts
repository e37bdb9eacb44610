import { answers, startWire, streamOf } from '@cadre/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ask, askFor, failureOf, fastClock } from '../ask.spec-helpers.ts'
import { systemClock } from '../pause.ts'
import { meet, openModel } from './open-model.spec-helpers.ts'

const { reply, problem, raw, reset } = answers
const ok = reply({ text: 'ok' })

describe('retrying', () => {
  it.each([
    ['429', problem(429, 'slow down')],
    ['500', problem(500, 'boom')],
    [
      '503',
      raw(['<html><title>Bad gateway</title>'], { status: 503, headers: { 'content-type': 'text/html' } }),
    ],
    ['408', problem(408, 'late')],
    ['a broken connection', reset()],
    ['a connection closed before the body', raw([], { end: 'cut' })],
    ['a stream closed in the middle', reply({ text: 'o', done: false }, { end: 'cut' })],
    ['a stream that ends before it begins', raw([])],
    ['malformed JSON', raw(['data: {"choices":[{"delta":{"con\n\n'])],
    ['an error inside a stream', raw(['data: {"error":{"message":"overloaded","code":529}}\n\n'])],
  ])('helps after %s', async (_, first) => {
    const { wire, model } = await meet([first, first, ok])
    const { reply: answer, streamed: told } = await ask(model)
    expect(answer).toMatchObject({ kind: 'reply', content: 'ok' })
    expect(told.join('')).toBe('ok')
    expect(wire.requests).toHaveLength(3)
  })

  it.each([
    [{ 'retry-after': '7' }, [7000]],
    [{ 'retry-after-ms': '30' }, [30]],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' }, [9000]],
    [{}, [250]],
  ])('waits as the server requires: %j', async (headers, waits) => {
    const clock = fastClock()
    const { model } = await meet([problem(429, 'slow down', { headers }), ok], {
      clock,
      openai: { idleTimeout: 100_000 },
    })
    await askFor(model)
    expect(clock.waits.filter((ms) => ms !== 100)).toEqual(waits)
  })

  it('ends after the configured number of attempts, waiting longer each time', async () => {
    const clock = fastClock()
    const { wire, model } = await meet(problem(500, 'boom'), { clock })
    expect(await failureOf(model)).toEqual({
      kind: 'failed',
      code: 'backend',
      message: `the model server ${new URL(wire.url).origin} answered 500: boom. Tried 5 times.`,
    })
    expect(wire.requests).toHaveLength(5)
    expect(clock.waits).toEqual([250, 500, 1000, 2000])
    const two = await meet(problem(500, 'boom'), { openai: { tries: 2 } })
    await failureOf(two.model)
    expect(two.wire.requests).toHaveLength(2)
  })

  it.each([
    ['an exhausted quota', problem(429, 'no money', { code: 'insufficient_quota' })],
    ['a wait of an hour', problem(429, 'tomorrow', { headers: { 'retry-after': '3600' } })],
    ['an invalid request', problem(400, 'bad')],
    ['a redirect', raw([], { status: 308, headers: { location: 'http://elsewhere' } })],
  ])('does not happen for %s', async (_, answer) => {
    const { wire, model } = await meet(answer)
    await failureOf(model)
    expect(wire.requests).toHaveLength(1)
  })

  it('streams no text twice', async () => {
    const events = streamOf({ text: 'one two three', pieces: 13 })
    const { model } = await meet([
      raw(events.slice(0, 6), { end: 'cut' }),
      raw(events.slice(0, 3), { end: 'cut' }),
      reply({ text: 'one two three', pieces: 2 }),
    ])
    const { reply: answer, streamed: told } = await ask(model)
    expect(answer).toMatchObject({ content: 'one two three' })
    expect(told.join('')).toBe('one two three')
  })

  it('streams nothing more if the next attempt differs, and returns that attempt', async () => {
    const { model } = await meet([
      reply({ text: 'one two', done: false }, { end: 'cut' }),
      reply({ text: 'one, two three', pieces: 14 }),
    ])
    const { reply: answer, streamed: told } = await ask(model)
    expect(answer).toMatchObject({ content: 'one, two three' })
    expect(told).toEqual(['one two'])
  })

  it('is free if a kept-alive connection turns out to be closed, and only then', async () => {
    const { wire, model } = await meet([ok, reset(), ok, reset()], {
      clock: systemClock,
      openai: { tries: 1 },
    })
    await askFor(model)
    expect(await askFor(model)).toMatchObject({ content: 'ok' })
    expect(wire.requests).toHaveLength(3)
    const fresh = await openModel(wire.url, { openai: { tries: 1 } })
    expect((await failureOf(fresh)).message).toMatch(
      /^the connection to the model server .* failed \(ECONNRESET\)\.$/,
    )
  })

  it('explains what to do if nothing answers', async () => {
    const gone = await startWire(ok)
    await gone.close()
    const model = await openModel(gone.url)
    const { message } = await failureOf(model)
    expect(message).toBe(
      `cannot connect to the model server ${new URL(gone.url).origin} (ECONNREFUSED). Is the server running? Check OPENAI_BASE_URL, or openai.baseUrl in config.yaml. Tried 3 times.`,
    )
  })

  it('does not happen if the server uses another protocol', async () => {
    const wire = await startWire(ok)
    onTestFinished(wire.close)
    const model = await openModel(wire.url.replace('http:', 'https:'))
    expect((await failureOf(model)).message).toMatch(/does not use the protocol in its address/)
  })
})
