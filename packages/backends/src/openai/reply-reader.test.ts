import { streamOf } from '@cadre/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ParsedReply } from '../http/read-reply.ts'
import { ReplyReader } from './reply-reader.ts'

function read(chunks: readonly string[]): { reply: ParsedReply; told: string[]; isDone: boolean } {
  const told: string[] = []
  const reader = new ReplyReader((delta) => told.push(delta))
  let isDone = false
  for (const chunk of chunks) isDone = reader.push(chunk)
  return { reply: reader.finish(), told, isDone }
}

const chunk = (delta: unknown, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`
const calls = (...deltas: readonly unknown[]) => [
  ...deltas.map((delta) => chunk({ tool_calls: [delta] })),
  chunk({}, 'tool_calls'),
]
const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
})

describe('a reply', () => {
  it('is read from a stream', () => {
    const { reply, told, isDone } = read(
      streamOf({
        text: 'grüße 🎉!',
        pieces: 4,
        calls: [
          { id: 'c1', name: 'read_file', input: { path: 'a' } },
          { id: 'c2', name: 'list' },
        ],
        usage: { input: 11, output: 7 },
        model: 'm-1',
      }),
    )
    expect(reply).toEqual({
      kind: 'reply',
      content: 'grüße 🎉!',
      calls: [call('c1', 'read_file', '{"path":"a"}'), call('c2', 'list', '{}')],
      usage: { input: 11, output: 7 },
      model: 'm-1',
    })
    expect(told.join('')).toBe('grüße 🎉!')
    expect(told.length).toBeGreaterThan(1)
    expect(isDone).toBe(true)
  })

  it('is the same for any split of the stream', () => {
    const reply = fc.record({
      text: fc.string({ unit: 'grapheme', maxLength: 40 }),
      pieces: fc.integer({ min: 1, max: 5 }),
      calls: fc.array(fc.record({ id: fc.uuid(), name: fc.constantFrom('a', 'b'), input: fc.jsonValue() }), {
        maxLength: 3,
      }),
      done: fc.boolean(),
    })
    fc.assert(
      fc.property(reply, fc.boolean(), fc.array(fc.nat()), (made, returns, places) => {
        const text = streamOf(made)
          .join('')
          .replaceAll('\n', returns ? '\r\n' : '\n')
        const sorted = places.map((place) => place % (text.length + 1)).sort((a, b) => a - b)
        const pieces = [0, ...sorted].map((start, index) => text.slice(start, sorted[index]))
        const cut = read(pieces)
        expect(cut.reply).toEqual(read([text]).reply)
        expect(cut.told.join('')).toBe(made.text)
        expect(cut.reply).toMatchObject({ kind: 'reply', content: made.text || null })
        expect(cut.reply.kind === 'reply' && cut.reply.calls.length).toBe(made.calls.length)
      }),
    )
  })

  it.each([
    [
      'numbered',
      calls(
        { index: 0, id: 'x', function: { name: 'a', arguments: '{"p"' } },
        { index: 1, id: 'y', function: { name: 'b', arguments: '{}' } },
        { index: 0, function: { arguments: ':1}' } },
      ),
      [call('x', 'a', '{"p":1}'), call('y', 'b', '{}')],
    ],
    [
      'numbered with gaps',
      calls(
        { index: 3, id: 'x', function: { name: 'a', arguments: '{}' } },
        { index: 7, id: 'y', function: { name: 'b' } },
      ),
      [call('x', 'a', '{}'), call('y', 'b', '{}')],
    ],
    [
      'all numbered 0, distinguished by id',
      calls(
        { index: 0, id: 'x', function: { name: 'a', arguments: '{}' } },
        { index: 0, id: 'y', function: { name: 'a', arguments: '{"q":2}' } },
      ),
      [call('x', 'a', '{}'), call('y', 'a', '{"q":2}')],
    ],
    [
      'with another id in every piece',
      calls(
        { index: 0, id: 'x', function: { name: 'a', arguments: '{"p"' } },
        { index: 0, id: 'y', function: { arguments: ':1}' } },
      ),
      [call('x', 'a', '{"p":1}')],
    ],
    [
      'with the name in every piece',
      calls(
        { index: 0, id: 'x', function: { name: 'a', arguments: '{"p"' } },
        { index: 0, id: 'x', function: { name: 'a', arguments: ':1}' } },
      ),
      [call('x', 'a', '{"p":1}')],
    ],
    [
      'without numbers',
      calls(
        { id: 'x', function: { name: 'a', arguments: '{"p"' } },
        { function: { arguments: ':1}' } },
        { id: 'y', function: { name: 'b', arguments: '{}' } },
        { id: 'x', function: { arguments: '' } },
      ),
      [call('x', 'a', '{"p":1}'), call('y', 'b', '{}')],
    ],
    [
      'without numbers or ids',
      calls(
        { function: { name: 'a', arguments: '{}' } },
        { function: { name: 'a', arguments: '{"q":' } },
        { function: { arguments: '2}' } },
      ),
      [call('', 'a', '{}'), call('', 'a', '{"q":2}')],
    ],
    [
      'with empty ids',
      calls(
        { index: 0, id: '', function: { name: 'a', arguments: '{}' } },
        { index: 1, id: '', function: { name: 'b', arguments: '{}' } },
      ),
      [call('', 'a', '{}'), call('', 'b', '{}')],
    ],
    [
      'with arguments as an object',
      calls({ index: 0, id: 'x', function: { name: 'a', arguments: { p: 1 } } }),
      [call('x', 'a', '{"p":1}')],
    ],
    [
      'without arguments',
      calls(
        { index: 0, id: 'x', function: { name: 'a' } },
        { index: 1, id: 'y', function: { name: 'b', arguments: null } },
      ),
      [call('x', 'a', '{}'), call('y', 'b', '{}')],
    ],
    [
      'with invalid arguments',
      calls({ index: 0, id: 'x', function: { name: 'a', arguments: '{"p":' } }),
      [call('x', 'a', '{"p":')],
    ],
    [
      'among empty pieces',
      calls({ index: 0, id: 'x', function: { name: 'a', arguments: '{}' } }, null, {
        index: 1,
        function: {},
      }),
      [call('x', 'a', '{}')],
    ],
  ])('has its calls if they arrive %s', (_, chunks, expected) => {
    expect(read(chunks).reply).toEqual({ kind: 'reply', content: null, calls: expected })
  })

  it.each([
    ['length', { stop: 'length' }],
    ['content_filter', { stop: 'filtered' }],
    ['stop', {}],
    ['something_new', {}],
  ])('that finished with %s', (finish, expected) => {
    expect(read(streamOf({ text: 'x', finish })).reply).toEqual({
      kind: 'reply',
      content: 'x',
      calls: [],
      model: 'wire',
      ...expected,
    })
  })

  it.each([
    [
      'reasoning next to the text',
      [chunk({ reasoning_content: 'hm', reasoning: 'hm' }), chunk({ content: 'x' }, 'stop')],
      { content: 'x' },
    ],
    [
      'a refusal instead of text',
      [chunk({ content: null, refusal: 'I will ' }), chunk({ refusal: 'not.' }, 'stop')],
      { content: 'I will not.', stop: 'filtered' },
    ],
    [
      'text in parts',
      [
        chunk(
          { content: [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }] },
          'stop',
        ),
      ],
      { content: 'ab' },
    ],
    ['no end marker and no finish reason', [chunk({ content: 'x' })], { content: 'x' }],
    ['only a finish reason', [chunk({}, 'stop')], { content: null }],
    [
      'usage in every event',
      [
        'data: {"usage":{"prompt_tokens":1}}\n\n',
        'data: {"usage":null,"choices":[]}\n\n',
        'data: {"usage":{"prompt_tokens":3,"completion_tokens":2,"cost":0.5}}\n\n',
        chunk({ content: 'x' }),
      ],
      { content: 'x', usage: { input: 3, output: 2, cost: 0.5 } },
    ],
    [
      'events without empty lines between them',
      ['data: {"choices":[{"delta":{"content":"a"}}]}\ndata: {"choices":[{"delta":{"content":"b"}}]}\n\n'],
      { content: 'ab' },
    ],
    [
      'an event of null choices',
      [
        'data: {"choices":null}\n\n',
        'data: {"choices":[null]}\n\n',
        'data: {"choices":[{"delta":null}]}\n\n',
        chunk({ content: 'x' }),
      ],
      { content: 'x' },
    ],
    [
      'a body that is not streamed',
      [
        ' \n',
        '{"model":"m","choices":[{"message":{"content":"x",',
        '"tool_calls":null},"finish_reason":"stop"}]}',
      ],
      { content: 'x', model: 'm' },
    ],
  ])('is read from %s', (_, chunks, expected) => {
    expect(read(chunks).reply).toEqual({ kind: 'reply', calls: [], ...expected })
  })

  it.each([
    ['nothing', []],
    ['only comments', [': ping\n\n']],
    ['only an end marker', ['data: [DONE]\n\n']],
    ['an event that is not JSON', [chunk({ content: 'x' }), 'data: {"choices":[{"del\n\n']],
    ['an event that is not an object', ['data: 7\n\n', chunk({ content: 'x' })]],
    ['half a body', ['{"choices":[{"mess']],
    ['a web page', ['<html>hello</html>']],
  ])('is not made from %s', (_, chunks) => {
    expect(read(chunks).reply.kind).toMatch(/^(garbled|empty)$/)
  })

  it.each([
    ['in a stream', [chunk({ content: 'x' }), 'data: {"error":{"message":"overloaded"}}\n\n']],
    ['in a body', ['{"error":{"message":"overloaded"}}']],
  ])('is an error if the server reports one %s', (_, chunks) => {
    expect(read(chunks).reply).toEqual({ kind: 'reported', error: { message: 'overloaded' } })
  })

  it('never exhausts the memory if a server does not end a line', () => {
    const reader = new ReplyReader(() => {})
    const line = `data: ${'x'.repeat(1024 * 1024)}`
    let pushes = 0
    while (!reader.push(line)) if (++pushes > 100) throw new Error('still reading')
    expect(reader.finish()).toMatchObject({ kind: 'garbled', reason: 'the reply is too long' })
  })
})
