import { expect, test } from 'vitest'
import { isInterruptedCallQuestion, questionOf, sessionOf } from './targets.ts'

test('accepts what the views and the chat pass', () => {
  expect(sessionOf({ kind: 'session', session: 'lead-4k2' })).toBe('lead-4k2')
  const target = { session: 'lead-4k2', question: 'approval/call_1' }
  expect(questionOf({ ...target, id: 'approval-1-2' })).toEqual(target)
  expect(isInterruptedCallQuestion(target)).toBe(false)
  expect(isInterruptedCallQuestion({ ...target, question: 'doubt/call_1/2' })).toBe(true)
})

test.each([
  undefined,
  null,
  'lead-4k2',
  {},
  { session: 1, question: 'approval/x' },
  { session: '', question: 'approval/x' },
  { session: '../lead', question: 'approval/x' },
  { session: '.lead', question: 'approval/x' },
  { session: 'lead' },
  { session: 'lead', question: 'x' },
  { session: 'lead', question: 'approval/' },
  { session: 'lead', question: 'approval/a\nb' },
  { session: 'lead', question: { toString: 'approval/x' } },
])('rejects %j', (argument) => {
  expect(questionOf(argument)).toBeUndefined()
})
