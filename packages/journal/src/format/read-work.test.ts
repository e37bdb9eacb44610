import { expect, test } from 'vitest'
import { readWork } from './read-work.ts'

const head = (work: string) =>
  `session_id: a\nsystem_prompt: |\n  work: not this\n\n  metadata:\nmetadata:\n  outcome: null\n  root: a\n  work: ${work}\n  agent_prompt: 3\nmessages:\n`

test.each([
  ['plain words', 'plain words'],
  [`'it''s: quoted'`, `it's: quoted`],
  ['"two\\nlines"', 'two\nlines'],
  ['|-\n    first\n\n      second', 'first\n\n  second'],
])('%j is found below the prompt', (written, work) => {
  expect(readWork(head(written))).toBe(work)
})

test('returns only the complete lines, or undefined, if the text is cut off inside the work', () => {
  const whole = head('|-\n    first\n    second')
  expect(readWork(whole.slice(0, whole.indexOf('second') + 3))).toBe('first')
  expect(readWork(whole.slice(0, whole.indexOf('first') + 3))).toBeUndefined()
  expect(readWork('session_id: a\nsystem_prompt: |\n  metadata:\n    work: x\n')).toBeUndefined()
  expect(readWork(head('"broken'))).toBeUndefined()
})
