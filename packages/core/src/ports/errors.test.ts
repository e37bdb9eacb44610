import { expect, it } from 'vitest'
import { CadreError, sentenceOf } from './errors.ts'

it.each([
  [new Error('EACCES: permission denied'), 'EACCES: permission denied.'],
  [new CadreError('usage', 'name a file.', { where: 'a.yaml:3' }), 'a.yaml:3: name a file.'],
  [new Error('there is no agent "x". Did you mean y?'), 'there is no agent "x". Did you mean y?'],
  ['interrupted\n', 'interrupted.'],
])('%s is a sentence with one full stop, or none after a question', (error, sentence) => {
  expect(sentenceOf(error)).toBe(sentence)
})
