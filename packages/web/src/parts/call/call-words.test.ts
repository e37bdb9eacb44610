import { expect, test } from 'vitest'
import { callSummary, decisionWord, readableInput, verdictWords } from './call-words.ts'

test.each([
  ['{"command":"npm test","cwd":"x"}', 'npm test'],
  ['{"cwd":"x","path":"src/a.ts"}', 'src/a.ts'],
  ['{"other":"text"}', 'text'],
  ['{"number":1}', '{"number":1}'],
  ['not json', 'not json'],
  ['"text"', '"text"'],
  ['{"command":"a\\n  b"}', 'a b'],
])('sums up %s as %s', (input, expected) => {
  expect(callSummary({ input })).toBe(expected)
})

test('shows who decided', () => {
  const ask = { decision: 'ask', by: 'policy', rule: 'effects.write' } as const
  expect(verdictWords({})).toBe('')
  expect(verdictWords({ verdict: { decision: 'allow', by: 'policy', rule: 'effects.read' } })).toBe(
    'allowed by policy: effects.read',
  )
  expect(verdictWords({ verdict: { decision: 'deny', by: 'role' } })).toBe('denied by role')
  expect(verdictWords({ verdict: ask })).toBe('needs approval (policy: effects.write)')
  const person = { decision: 'approve', by: 'ann', at: '' }
  expect(verdictWords({ verdict: { decision: 'allow', by: 'approval' }, held: ask, person })).toBe(
    'approved by ann',
  )
  expect(verdictWords({ held: ask, person: { decision: 'reject', at: '' } })).toBe('rejected')
  expect(['approve', 'approve-session', 'reject', 'again'].map(decisionWord)).toEqual([
    'approved',
    'approved for the session',
    'rejected',
    'again',
  ])
})

test('indents JSON and leaves the rest', () => {
  expect(readableInput('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(readableInput('{broken')).toBe('{broken')
})
