import { expect, it } from 'vitest'
import { createAnswerCache } from './answer-cache.ts'

const answer = (text: string) => ({ bytes: Buffer.from(text), etag: text })

it('returns an answer only for its own address and version', () => {
  const cache = createAnswerCache()
  cache.keep('/api/sessions', '1', answer('one'))
  expect(cache.find('/api/sessions', '1')?.etag).toBe('one')
  expect(cache.find('/api/sessions', '2')).toBeUndefined()
  expect(cache.find('/api/sessions?limit=1', '1')).toBeUndefined()
  cache.keep('/api/sessions', '2', answer('two'))
  expect(cache.find('/api/sessions', '2')?.etag).toBe('two')
  expect(cache.find('/api/sessions', '1')).toBeUndefined()
})

it('keeps few answers, and no large ones', () => {
  const cache = createAnswerCache()
  for (let number = 0; number < 100; number++) cache.keep(`/${number}`, '1', answer(String(number)))
  const kept = Array.from({ length: 100 }, (_, number) => cache.find(`/${number}`, '1')).filter(Boolean)
  expect(kept.map((one) => one?.etag)).toEqual(Array.from({ length: 20 }, (_, index) => String(80 + index)))
  cache.keep('/99', '2', { bytes: Buffer.alloc(2 << 20), etag: 'large' })
  expect(cache.find('/99', '2')).toBeUndefined()
  expect(cache.find('/99', '1')).toBeUndefined()
})
