import { inspect } from 'node:util'
import { answers, startWire, type WireAnswer } from '@cadre/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ask, fastClock } from '../ask.spec-helpers.ts'
import { createModels } from '../create-models.ts'

const { problem, raw, reset, reply } = answers

/** Every failure that can echo the request, including the key. */
const failures: { readonly [name: string]: (key: string, filler: string) => WireAnswer } = {
  'a refused key': (key, filler) => problem(401, `${filler}Incorrect API key provided: ${key}.`),
  'a forbidden key': (key, filler) => problem(403, `${filler}${key}${key}`),
  'a wrong request': (key, filler) => problem(400, `${filler}header authorization: Bearer ${key}`),
  'a wrong address': (key, filler) => problem(404, `${filler}${key}`),
  'an unknown model': (key, filler) => problem(404, `model ${filler}${key}`),
  'a request that is too long': (key, filler) => problem(413, `${filler}${key}`),
  'a redirect': (key, filler) =>
    raw([`${filler}${key}`], {
      status: 302,
      headers: { location: `http://x/?key=${encodeURIComponent(key)}` },
    }),
  'a busy server': (key, filler) => problem(429, `${filler}${key}`),
  'a server that asks to wait': (key, filler) =>
    problem(429, `${filler}${key}`, { headers: { 'retry-after': '9999' } }),
  'a broken server': (key, filler) => problem(500, `${filler}${key}`),
  'plain text': (key, filler) => raw([`${filler}${key}`], { status: 418, headers: {} }),
  'a web page': (key, filler) => raw([`<title>${filler}${key}</title>`], { status: 502, headers: {} }),
  'a list of details': (key, filler) =>
    raw([JSON.stringify({ detail: [{ msg: filler + key }] })], { status: 422, headers: {} }),
  'other letters': (key) => {
    const letters = [...key].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
    return raw([`{"error":{"message":"${letters.join('')}"}}`], { status: 400, headers: {} })
  },
  'an error code': (key, filler) => problem(400, filler, { code: key }),
  'an error in the stream': (key, filler) =>
    raw([`data: ${JSON.stringify({ error: { message: filler + key } })}\n\n`]),
  'an error that is text': (key, filler) => raw([`data: ${JSON.stringify({ error: filler + key })}\n\n`]),
  'malformed events': (key, filler) => raw([`data: ${filler.replaceAll(/[\r\n]/g, '')}${key}\n\n`]),
  'a stream that breaks': (key, filler) => reply({ text: filler + key, done: false }, { end: 'cut' }),
  'a broken connection': () => reset(),
}

describe.each(Object.entries(failures))('the key, after %s', (_, failure) => {
  it('is not in any output', async () => {
    let answer: WireAnswer = reset()
    await using wire = await startWire(() => answer, { models: problem(401, 'no') })
    // Characters that are escaped in JSON and URLs, and might not be recognised.
    const key = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_."\\/+=&%<>'), minLength: 8, maxLength: 60 })
    const filler = fc.oneof(
      fc.constant(''),
      fc.integer({ min: 0, max: 400 }).map((n) => '~'.repeat(n)),
    )
    await fc.assert(
      fc.asyncProperty(key, filler, fc.boolean(), async (secret, before, isOwnHeader) => {
        answer = failure(secret, before)
        const models = createModels({
          env: { OPENAI_BASE_URL: wire.url, OPENAI_API_KEY: secret },
          config: { openai: { tries: 2, listTimeout: 60_000, ...(isOwnHeader && { keyHeader: 'api-key' }) } },
          clock: fastClock(),
        })
        const found = await models.resolve('openai:m')
        if (found.kind === 'unknown') throw new Error(found.reason)
        const { reply: failed } = await ask(found.model)
        expect(failed.kind).toBe('failed')
        const shown =
          inspect([found, failed], { depth: 10, showHidden: true }) +
          JSON.stringify([found, failed]) +
          process.title
        expect(shown).not.toContain(secret)
        // Cutting a long message must not leave the start of a key.
        expect(shown).not.toContain(secret.slice(0, 7))
      }),
      // A quote that is cut in the middle of the key.
      { numRuns: process.env['CADRE_DEEP'] ? 25 : 6, examples: [['a'.repeat(18), '~'.repeat(63), false]] },
    )
  })
})
