import { expect, test } from 'vitest'
import { actionResult } from './action-result.ts'

test.each([
  ['merged', true],
  ['undone', true],
  ['nothing', false],
  ['conflicts', false],
  ['dirty', false],
  ['in_the_way', false],
  ['constructor', false],
])('the result %s is done: %s', (result, isDone) => {
  expect(actionResult({ result, files: ['a', 1] })).toMatchObject({ isDone, files: ['a'] })
})
