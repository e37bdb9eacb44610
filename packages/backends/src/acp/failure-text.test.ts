import { expect, test } from 'vitest'
import { failureText } from './failure-text.ts'
import { opencodeProgram } from './programs/opencode.ts'

test('a program that cannot reach its model is told apart from other errors', () => {
  expect(failureText(opencodeProgram, 'Cannot connect to API: Is the computer able to access the url?')).toBe(
    'opencode failed: Cannot connect to API: Is the computer able to access the url? It could not reach its model. Check its settings and your network: run "opencode run hello" in a terminal.',
  )
  expect(failureText(opencodeProgram, 'the model is overloaded')).toBe(
    'opencode failed: the model is overloaded.',
  )
})
