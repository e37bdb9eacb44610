import { expect, test } from 'vitest'
import { defaultApiAddress, serverAddress } from './server-address.ts'

test.each([
  ['http://127.0.0.1:8000/v1', 'http://127.0.0.1:8000/v1'],
  [' https://models.example/v1/ ', 'https://models.example/v1'],
  ['127.0.0.1:8000/v1', 'http://127.0.0.1:8000/v1'],
  ['localhost:11434', 'http://localhost:11434'],
  ['models.example', 'https://models.example'],
  ['ftp://models.example', undefined],
  ['my server', undefined],
  ['/', undefined],
])('%j is the address %j', (typed, address) => {
  expect(serverAddress(typed)).toBe(address)
})

test('an API is usually at /v1 of an address without a path', () => {
  expect(defaultApiAddress('http://127.0.0.1:8000')).toBe('http://127.0.0.1:8000/v1')
  expect(defaultApiAddress('http://127.0.0.1:8000/openai')).toBeUndefined()
})
