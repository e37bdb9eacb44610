import { expect, it } from 'vitest'
import { resultOfParts } from './result-of-parts.ts'

const bytes = (text: string) => new Uint8Array(Buffer.from(text))

it('reads texts, data, images and prompt elements', () => {
  const tree = {
    node: {
      type: 1,
      children: [
        { type: 2, text: 'Hello ' },
        { type: 1, children: [{ text: 'tree' }] },
      ],
    },
  }
  expect(
    resultOfParts([
      { value: 'plain' },
      { data: bytes('{"a":1}'), mimeType: 'application/json' },
      { data: bytes('png'), mimeType: 'image/png' },
      { data: bytes('zip'), mimeType: 'application/zip' },
      { value: tree },
      { value: { other: 1 } },
      undefined,
    ]),
  ).toEqual({
    content: 'plain\n{"a":1}\n[application/zip, 3 bytes, omitted]\nHello tree\n{"other":1}',
    images: [{ mime: 'image/png', data: 'cG5n' }],
  })
})

it('reports an empty result, and cuts a long one', () => {
  expect(resultOfParts([])).toEqual({ content: '(no output)' })
  const { content } = resultOfParts([{ value: 'x'.repeat(150_000) }])
  expect(content).toMatch(/x\n\[… 50000 more characters\]$/)
})
