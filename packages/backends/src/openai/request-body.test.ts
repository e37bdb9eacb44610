import type { Message, ToolOffer } from '@cadre/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { question } from '../ask.spec-helpers.ts'
import { type ChatQuirks, requestBody } from './request-body.ts'

const bodyOf = (over: Parameters<typeof question>[0], quirks: ChatQuirks = {}) =>
  JSON.parse(requestBody('m"1', question(over), quirks))
const png = { mime: 'image/png', data: 'aGk=' }
const part = (image: typeof png) => ({
  type: 'image_url',
  image_url: { url: `data:${image.mime};base64,${image.data}` },
})

describe('the body of a request', () => {
  it('follows the protocol', () => {
    const tools: ToolOffer[] = [
      { name: 'read_file', description: 'Reads "it"', parameters: { type: 'object' } },
    ]
    expect(bodyOf({ tools, maxOutput: 99 })).toEqual({
      model: 'm"1',
      messages: [
        { role: 'system', content: 'You lead.' },
        { role: 'user', content: 'Do it.' },
      ],
      tools: [{ type: 'function', function: tools[0] }],
      max_completion_tokens: 99,
      max_tokens: 99,
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('omits missing parts', () => {
    expect(bodyOf({ system: '', messages: [] }, { withoutUsage: true })).toEqual({
      model: 'm"1',
      messages: [],
      stream: true,
    })
  })

  it('uses what was learned about the server', () => {
    const older = bodyOf({ maxOutput: 5 }, { refusedLimits: ['max_completion_tokens'] })
    expect(older).toMatchObject({ max_tokens: 5 })
    expect(older).not.toHaveProperty('max_completion_tokens')
    expect(bodyOf({ maxOutput: 4 }, { outputLimit: 5 })).toMatchObject({ max_completion_tokens: 4 })
    expect(bodyOf({ maxOutput: 6 }, { outputLimit: 5 })).toMatchObject({ max_completion_tokens: 5 })
  })

  it('puts the images of results after the last result, in order', () => {
    const call = (id: string) => ({
      id,
      type: 'function' as const,
      function: { name: 'view_image', arguments: '{}' },
    })
    const other = { ...png, data: 'eW8=' }
    const messages: Message[] = [
      { role: 'user', content: 'Look.', images: [png] },
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b'), call('c')] },
      { role: 'tool_result', tool_call_id: 'a', content: 'one', images: [png] },
      { role: 'tool_result', tool_call_id: 'b', content: 'two' },
      { role: 'tool_result', tool_call_id: 'c', content: 'three', images: [other, png] },
      { role: 'assistant', content: 'Seen.' },
      { role: 'tool_result', tool_call_id: 'd', content: 'four', images: [other] },
    ]
    expect(bodyOf({ messages, system: '' }).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Look.' }, part(png)] },
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b'), call('c')] },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
      { role: 'tool', tool_call_id: 'c', content: 'three' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Images from the result of a:' },
          part(png),
          { type: 'text', text: 'Images from the result of c:' },
          part(other),
          part(png),
        ],
      },
      { role: 'assistant', content: 'Seen.' },
      { role: 'tool', tool_call_id: 'd', content: 'four' },
      { role: 'user', content: [{ type: 'text', text: 'Images from the result of d:' }, part(other)] },
    ])
  })

  it.each(['{"a":', '', 'null', '[1]', '"text"'])(
    'never repeats arguments that a server could reject: %j',
    (text) => {
      const call = { id: 'a', type: 'function' as const, function: { name: 't', arguments: text } }
      const [message] = bodyOf({
        system: '',
        messages: [{ role: 'assistant', content: null, tool_calls: [call] }],
      }).messages
      expect(JSON.parse(message.tool_calls[0].function.arguments)).toEqual({ invalid: text })
    },
  )

  it('is valid JSON and UTF-8 for any content, without loss', () => {
    // Includes half surrogate pairs.
    const text = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) })
    fc.assert(
      fc.property(text, text, (system, content) => {
        const body = requestBody('m', question({ system, messages: [{ role: 'user', content }] }), {})
        expect(body).not.toMatch(/\\ud[89a-f]/i)
        const { messages } = JSON.parse(Buffer.from(body, 'utf8').toString('utf8'))
        expect(messages.at(-1).content).toBe(content.toWellFormed())
      }),
    )
  })

  it('serializes each message, and the tools, only once', () => {
    let reads = 0
    const counted = <T extends object>(value: T): T =>
      new Proxy(value, {
        get(target, key) {
          reads++
          return Reflect.get(target, key)
        },
      })
    const messages = Array.from(
      { length: 100 },
      (_, index): Message => counted({ role: 'user', content: `${index}` }),
    )
    const tools = [counted({ name: 't', description: '', parameters: {} })]
    requestBody('m', question({ messages, tools }), {})
    reads = 0
    requestBody('m', question({ messages: [...messages, { role: 'user', content: 'new' }], tools }), {})
    expect(reads).toBe(0)
  })
})
