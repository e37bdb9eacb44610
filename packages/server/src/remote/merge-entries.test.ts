import type { Entry } from '@cadre/core'
import { entryKey } from '@cadre/journal'
import { expect, test } from 'vitest'
import { mergeEntries } from './merge-entries.ts'

const entriesOf = (text: string): Entry[] =>
  [...text].map((content, index) => ({ seq: index + 1, timestamp: '', role: 'user', content }))

test.each([
  // base, edited, record, merged, numbers
  ['nothing', 'abc', 'abc', 'abc', 'abc', '123'],
  ['nothing, and more is recorded', 'abc', 'abc', 'abcde', 'abcde', '12345'],
  ['an entry at the end', 'abc', 'abcX', 'abcde', 'abcdeX', '123456'],
  ['an entry in the middle', 'abc', 'aXc', 'abcde', 'aXcde', '12345'],
  ['an inserted entry', 'abc', 'aXbc', 'abcd', 'aXbcd', '12345'],
  ['a removed entry', 'abc', 'ac', 'abcd', 'acd', '134'],
  ['the end', 'abc', 'a', 'abcde', 'ade', '123'],
  ['the end, with a new message', 'abc', 'aX', 'abcd', 'aXd', '123'],
  ['the last entry', 'abc', 'abX', 'abcd', 'abXd', '1234'],
  ['everything', 'abc', '', 'abcd', 'd', '1'],
  ['the order', 'abc', 'acb', 'abcd', 'acdb', '1345'],
  ['equal entries', 'aaa', 'aa', 'aaab', 'aab', '123'],
  ['what the record already has', 'abc', 'abcX', 'abcXd', 'abcXd', '12345'],
  ['nothing, and the record was changed elsewhere', 'abc', 'abc', 'aYcd', 'aYcd', '1234'],
  ['something else than what was changed elsewhere', 'abcd', 'abcX', 'aYcde', 'aYcXe', '12345'],
])('a person changes %s', (_, base, edited, record, merged, numbers) => {
  const result = mergeEntries(entriesOf(base).map(entryKey), entriesOf(edited), entriesOf(record))
  expect(result.map(({ content }) => content).join('')).toBe(merged)
  expect(result.map(({ seq }) => seq).join('')).toBe(numbers)
})
