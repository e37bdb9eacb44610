import { expect, it } from 'vitest'
import { RedactedStream } from './redacted-stream.ts'

function streamed(secrets: readonly string[], pieces: readonly string[]): string[] {
  const told: string[] = []
  const stream = new RedactedStream(secrets, (delta) => told.push(delta))
  for (const piece of pieces) stream.tell(piece)
  stream.end()
  return told
}

it('hides a secret wherever it is split', () => {
  const secret = 'key-abcak'
  const text = `a ${secret} k ${secret}${secret} key-ab`
  const hidden = 'a [hidden] k [hidden][hidden] key-ab'
  for (let first = 0; first <= text.length; first++)
    for (let second = first; second <= text.length; second++) {
      const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)]
      expect(streamed([secret], pieces).join('')).toBe(hidden)
    }
  expect(streamed([secret], [...text]).join('')).toBe(hidden)
})

it('hides all of a secret that begins with another one', () => {
  const secrets = ['key-abcd', 'key-abcd-and-more']
  expect(streamed(secrets, ['key-abcd', '-and-more', ' key-abcd', '-and']).join('')).toBe(
    '[hidden] [hidden]-and',
  )
})

it('holds back only what may be a secret', () => {
  expect(streamed(['key-abcd'], ['one ', 'two k', 'ind', ' ke'])).toEqual(['one ', 'two ', 'kind', ' ', 'ke'])
  expect(streamed([], ['one', '', 'two'])).toEqual(['one', 'two'])
})
