import { isSessionName } from '@cadre/home'
import { expect, test } from 'vitest'
import { isSessionId } from './session-id.ts'

test.each([
  'lead-4k2',
  'größe-1',
  'a b',
  'a.b',
  'x'.repeat(180),
  'x'.repeat(181),
  '',
  '.lead',
  '..',
  'a/b',
  'a\\b',
  'c:d',
  'a\nb',
  'a?b',
  '\ud800',
])('%j is a valid session id, as for the home', (id) => {
  expect(isSessionId(id)).toBe(isSessionName(id))
})

test.each([undefined, null, 1, {}, ['lead-1']])('%j is not', (value) => {
  expect(isSessionId(value)).toBe(false)
})
