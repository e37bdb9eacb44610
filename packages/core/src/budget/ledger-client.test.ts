import { expect, test } from 'vitest'
import { uniqueId } from './ledger-client.ts'

test('an id is random, so that two processes never use the same one', () => {
  const ids = new Set(Array.from({ length: 100 }, uniqueId))
  expect(ids.size).toBe(100)
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})
