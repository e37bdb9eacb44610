import type { Question } from '@cadre/core'
import { expect, test } from 'vitest'
import { createWindowQuestions } from './window-questions.ts'

const question: Question = {
  name: 'approval/1',
  call: 'call_1',
  kind: 'approval',
  text: 'May I?',
  choices: ['approve', 'reject'],
}
const nobody = () => new AbortController().signal
const create = () => {
  const faults: string[] = []
  return { faults, questions: createWindowQuestions({ error: (message) => faults.push(message) }) }
}

test('a question that a surface shows is shown until it is answered', async () => {
  const { questions } = create()
  const asked = questions.asker(async () => undefined)('lead-1', question, nobody())
  expect(questions.isShown('lead-1', 'approval/1')).toBe(true)
  expect(questions.answer('lead-1', 'approval/1', { decision: 'approve' })).toBe(true)
  expect(await asked).toEqual({ decision: 'approve' })
  expect(questions.isShown('lead-1', 'approval/1')).toBe(false)
})

test('a question without a surface is pending, and does not count as shown', async () => {
  const { questions } = create()
  const asked = questions.asker(undefined)('lead-1', question, nobody())
  expect(questions.isShown('lead-1', 'approval/1')).toBe(false)
  expect(questions.answer('lead-1', 'approval/1', { decision: 'reject' })).toBe(true)
  expect(await asked).toEqual({ decision: 'reject' })
})

test('a question that could not be shown does not count as shown, but is pending', async () => {
  const { questions, faults } = create()
  const asked = questions.asker(() => Promise.reject(new Error('no chat')))('lead-1', question, nobody())
  await expect.poll(() => faults).toEqual(['A question could not be shown: Error: no chat'])
  expect(questions.isShown('lead-1', 'approval/1')).toBe(false)
  questions.leave()
  expect(await asked).toBeUndefined()
})

test('nothing is pending when the run is stopped, or after everything was left', async () => {
  const { questions } = create()
  const controller = new AbortController()
  const stopped = questions.asker(async () => undefined)('lead-1', question, controller.signal)
  controller.abort()
  expect(await stopped).toBeUndefined()
  expect(questions.isShown('lead-1', 'approval/1')).toBe(false)
  questions.leave()
  expect(await questions.asker(undefined)('lead-1', question, nobody())).toBeUndefined()
})
