import { answers } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { failureOf } from '../ask.spec-helpers.ts'
import { meet } from './open-model.spec-helpers.ts'

const { problem, raw } = answers

describe('a refusal', () => {
  it.each([
    [
      401,
      {},
      'requires a key (401: who are you). Set OPENAI_API_KEY, or openai.keyCommand in config.yaml. "cadre setup" stores a key for you.',
    ],
    [401, { OPENAI_API_KEY: 'abc' }, 'rejected the key (401: who are you). Check OPENAI_API_KEY.'],
    [403, { OPENAI_API_KEY: 'abc' }, 'rejected the key (403: who are you). Check OPENAI_API_KEY.'],
    [400, {}, 'answered 400: who are you.'],
    [
      404,
      {},
      'answered 404: who are you. OPENAI_BASE_URL usually ends in /v1. Check OPENAI_BASE_URL, or openai.baseUrl in config.yaml.',
    ],
    [
      307,
      {},
      "responded with a redirect (307: who are you). Set OPENAI_BASE_URL to the server's new address.",
    ],
  ])('with %i is one sentence that explains what to do', async (status, env, message) => {
    const { wire, model } = await meet([problem(status, 'who are you')], { env })
    expect(await failureOf(model)).toEqual({
      kind: 'failed',
      code: 'backend',
      message: `the model server ${new URL(wire.url).origin} ${message}`,
      ...(status === 401 && { rejectsKey: true }),
      spent: 'nothing',
    })
  })

  it('that is a web page explains what is wrong with the address and is not retried', async () => {
    const page = raw(['\n<!doctype html>', '<title>Open\u001b[31m WebUI</title>'], {
      headers: { 'content-type': 'text/html' },
    })
    const { wire, model } = await meet(page)
    expect((await failureOf(model)).message).toBe(
      `the model server ${new URL(wire.url).origin} responded with a web page: Open [31m WebUI. This is probably not the API's address: OPENAI_BASE_URL usually ends in /v1. Check OPENAI_BASE_URL, or openai.baseUrl in config.yaml.`,
    )
    expect(wire.requests).toHaveLength(1)
  })

  it('of a model is an unknown model', async () => {
    const { model } = await meet([problem(404, 'The model `m` does not exist', { code: 'model_not_found' })])
    expect(await failureOf(model)).toMatchObject({ code: 'unknown_model' })
  })

  const offer = { name: 'read', description: 'Reads', parameters: { type: 'object' } }

  it.each([
    [400, 'registry.ollama.ai/library/gemma:2b does not support tools'],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    [500, 'tools param requires --jinja flag'],
    [404, 'No endpoints found that support tool use.'],
    [400, "Unsupported parameter: 'tools' is not supported with this model."],
    [400, '`tool calling` is not supported with this model'],
    [400, 'deepseek-reasoner does not support Function Calling'],
    [422, 'Unrecognized request argument supplied: tools'],
  ])('of tools is reported: %i %s', async (status, message) => {
    const { model } = await meet(() => problem(status, message))
    expect(await failureOf(model, { tools: [offer] })).toMatchObject({
      code: 'tools_unsupported',
      message: expect.stringContaining('"m" on http'),
    })
    expect((await failureOf(model)).code).not.toBe('tools_unsupported')
  })

  it.each([
    "Invalid schema for function 'read': 'oneOf' is not permitted.",
    "An assistant message with 'tool_calls' must be followed by tool messages",
    'The server is not available',
  ])('of something else is not a rejection of tools: %s', async (message) => {
    const { model } = await meet(() => problem(400, message))
    expect(await failureOf(model, { tools: [offer] })).toMatchObject({ code: 'backend' })
  })

  it.each([
    [400, 'no', 'context_length_exceeded'],
    [400, "This model's maximum context length is 8192 tokens.", undefined],
    [400, 'the request exceeds the available context size', undefined],
    [413, 'Payload Too Large', undefined],
    [422, 'prompt is too long: 200001 tokens > 200000 maximum', undefined],
    [429, 'Request too large for m on tokens per min', 'rate_limit_exceeded'],
  ])('of a request that is too long is reported: %i %s', async (status, message, code) => {
    const { wire, model } = await meet([problem(status, message, code ? { code } : {})])
    expect(await failureOf(model)).toMatchObject({ code: 'backend', tooLong: true })
    expect(wire.requests).toHaveLength(1)
  })

  it.each([
    ['{"error":"plain text"}', 'plain text'],
    ['{"message":"at the top"}', 'at the top'],
    ['{"detail":[{"loc":["body"],"msg":"wrong"}]}', '[{"loc":["body"],"msg":"wrong"}]'],
    ['"text"', 'text'],
    ['not json', 'not json'],
    ['<!doctype html><title>Sign in</title>', 'a web page: Sign in'],
    ['<html>', 'a web page'],
    ['a\u001b[31mred\u0007\n\n b', 'a [31mred b'],
  ])('in any format is read: %j', async (body, said) => {
    const { model } = await meet([raw([body], { status: 400, headers: {} })])
    expect((await failureOf(model)).message).toMatch(
      new RegExp(`answered 400: ${said.replaceAll(/[[\]{}().]/g, '\\$&')}\\.$`),
    )
  })

  it('without a message is a sentence, and a long one is cut', async () => {
    const { model } = await meet([raw([], { status: 400 }), problem(400, 'x'.repeat(1_000_000))])
    expect((await failureOf(model)).message).toMatch(/answered 400\.$/)
    const { message } = await failureOf(model)
    expect(message.length).toBeLessThan(500)
  })
})
