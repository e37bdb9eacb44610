import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SseReader } from './sse.ts'

function read(chunks: readonly string[]): string[] {
  const events: string[] = []
  const reader = new SseReader((data) => events.push(data))
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  expect(reader.held).toBe(0)
  return events
}

/** The text, cut at these positions. */
function cutAt(text: string, places: readonly number[]): string[] {
  const sorted = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b)
  return [0, ...sorted].map((start, index) => text.slice(start, sorted[index]))
}

describe('a stream of events', () => {
  it.each([
    ['the usual form', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['carriage returns', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['no space', 'data:a\n\n', ['a']],
    ['only one space removed', 'data:  a\n\n', [' a']],
    ['several lines', 'data: a\ndata: b\ndata\n\n', ['a\nb\n']],
    ['comments and other fields', ': hello\nevent: x\nid: 7\nretry: 10\ndata: a\ndatabase: no\n\n', ['a']],
    ['empty lines in between', '\n\n\ndata: a\n\n\n\n', ['a']],
    ['an empty event', 'data:\n\n', ['']],
    ['an unterminated last event', 'data: a\n\ndata: b', ['a', 'b']],
    ['a last line with half an ending', 'data: a\r', ['a']],
    ['a byte order mark', '\uFEFFdata: a\n\n', ['a']],
    ['nothing', '', []],
    ['only comments', ': ping\n\n: ping\n\n', []],
  ])('is read in %s', (_, text, events) => {
    expect(read([text])).toEqual(events)
    expect(read([...text])).toEqual(events)
  })

  it('gives the same events for any split', () => {
    const anyUnit = fc.nat(0xffff).map((code) => String.fromCharCode(code))
    const line = fc.oneof(
      fc.constantFrom('', '', ': c', 'data', 'data:', 'event: x', 'data: {"a":1}'),
      fc.string({ unit: anyUnit }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, '')}`),
    )
    const stream = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r\n')))
      .map((lines) => lines.flat().join(''))
    fc.assert(
      fc.property(stream, fc.array(fc.nat()), (text, places) => {
        const chunks = cutAt(text, places)
        expect(chunks.join('')).toBe(text)
        expect(read(chunks)).toEqual(read([text]))
      }),
    )
  })
})
