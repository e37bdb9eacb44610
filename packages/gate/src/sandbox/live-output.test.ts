import { afterEach, expect, it } from 'vitest'
import { createLiveOutput } from './live-output.ts'

const name = 'LIVE_OUTPUT_TEST_API_KEY'

afterEach(() => {
  delete process.env[name]
})

it('passes on whole lines, characters that are never split, and the rest at the end', () => {
  const seen: string[] = []
  const output = createLiveOutput((text) => seen.push(text))
  const bytes = Buffer.from('één\ntwee\ndr')
  for (const byte of bytes) output.add(Buffer.from([byte]))
  output.end()
  output.end()
  expect(seen).toEqual(['één\n', 'twee\n', 'dr'])
})

it('hides a secret that arrives in pieces', () => {
  process.env[name] = 'sk-abcdefghijklmnop'
  const seen: string[] = []
  const output = createLiveOutput((text) => seen.push(text))
  for (const piece of ['the key is sk-abcd', 'efghijklmnop\n', 'sk-abcdefgh', 'ijklmnop'])
    output.add(Buffer.from(piece))
  output.end()
  expect(seen.join('')).toBe('the key is ***\n***')
})

it('does not keep a line without end', () => {
  let length = 0
  const output = createLiveOutput((text) => {
    length += text.length
  })
  for (let count = 0; count < 100; count++) output.add(Buffer.alloc(10_000, 'x'))
  expect(length).toBeGreaterThan(900_000)
})
