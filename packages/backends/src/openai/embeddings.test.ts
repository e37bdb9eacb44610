import { answers, startWire, type WireOptions, type WireScript } from '@cadre/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../pause.ts'
import { type Embeddings, openEmbeddings } from './embeddings.ts'

const { raw, problem } = answers
const vectors = (...rows: unknown[]) =>
  raw([
    JSON.stringify({
      data: rows.map((embedding, index) => ({ index, embedding })).reverse(),
      usage: { prompt_tokens: 7 },
    }),
  ])

async function meet(script: WireScript, models: WireOptions['models'] = ['chat', 'nomic-embed-text']) {
  const wire = await startWire(script, { models })
  onTestFinished(wire.close)
  const opened = await openEmbeddings({
    config: {},
    env: { OPENAI_BASE_URL: wire.url },
    clock: systemClock,
  })
  return { wire, opened, embeddings: opened as Embeddings }
}

const never = new AbortController().signal

describe('the embeddings of an endpoint', () => {
  it('are in the order of the texts, with their cost', async () => {
    const { wire, embeddings } = await meet([
      problem(429, 'slow down', { headers: { 'retry-after-ms': '1' } }),
      vectors([1, 0], [0, 1]),
    ])
    const spent: unknown[] = []
    const long = 'x'.repeat(20_000)
    expect(await embeddings.embed(['a', long], never, (usage) => spent.push(usage))).toEqual([
      [1, 0],
      [0, 1],
    ])
    expect(spent).toEqual([{ input: 7, output: 0 }])
    expect(wire.requests[1]?.path).toBe('/v1/embeddings')
    expect(wire.requests[1]?.body).toEqual({ model: 'nomic-embed-text', input: ['a', 'x'.repeat(8000)] })
  })

  it('are not requested twice if there are none', async () => {
    const { wire, embeddings } = await meet(problem(404, 'no such page'))
    await expect(embeddings.embed(['a'], never)).rejects.toThrow('404')
    await expect(embeddings.embed(['a'], never)).rejects.toThrow('404')
    expect(wire.requests).toHaveLength(1)
  })

  it('need a model', async () => {
    const { opened } = await meet([], ['chat'])
    expect(opened).toMatch(/lists no embedding model\. Set one with search\.semantic\.model/)
    expect(await openEmbeddings({ config: {}, env: {}, clock: systemClock })).toBe(
      'no model endpoint with embeddings is configured',
    )
  })

  it.each([
    ['too few', vectors([1, 0])],
    ['of different lengths', vectors([1, 0], [1])],
    ['no numbers', vectors([1, 'x'], [1, 2])],
    ['nothing', raw(['{}'])],
    ['no JSON', raw(['<html>'])],
  ])('that are %s are a failure', async (_, answer) => {
    const { embeddings } = await meet([answer])
    await expect(embeddings.embed(['a', 'b'], never)).rejects.toMatchObject({ code: 'backend' })
  })

  it('end when they are cancelled', async () => {
    const { wire, embeddings } = await meet(answers.hang())
    const stopper = new AbortController()
    const asked = embeddings.embed(['a'], stopper.signal)
    const request = await wire.received(1)
    stopper.abort()
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' })
    await request.closed
  })
})
