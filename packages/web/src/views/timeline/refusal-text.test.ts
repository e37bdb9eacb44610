import { expect, test } from 'vitest'
import { refusalText } from './refusal-text.ts'

const now = Date.parse('2026-11-15T10:00:00.000Z')
const tokens = { part: 'tokens', used: 40, most: 100 } as const

test('predicts when the budget of a running session runs out', () => {
  expect(refusalText({ ...tokens, refusesAt: now + 60_000 }, now, true)).toContain(
    'the token budget will run out in 1 min 0 s',
  )
  expect(refusalText(undefined, now, true)).toContain('too little has been spent')
})

test('says that a budget has run out', () => {
  expect(refusalText({ ...tokens, used: 100, refusesAt: now - 1000 }, now, false)).toContain(
    'token budget ran out at',
  )
})

test('predicts nothing for a session that is not running', () => {
  expect(refusalText(undefined, now, false)).toBe(
    'The session is not running, and its budget has not run out.',
  )
})

test('repeats why a request was refused, even if some of the budget is left', () => {
  const reason =
    'the budget of lead (60000 tokens) does not allow another request. Raise the budget to continue'
  expect(refusalText(undefined, 0, false, reason)).toBe(`Cadre refused a request: ${reason}.`)
})
