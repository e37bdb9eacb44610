import { expect, test } from 'vitest'
import { approvalButtons } from './approval-buttons.ts'

const titles = (question: string, choices: readonly string[]) => {
  const shown: string[] = []
  approvalButtons({ button: (title) => shown.push(title) }, { session: 'lead-1', question, choices })
  return shown
}

test('a question has the buttons of its answers', () => {
  expect(titles('approval/1', ['approve', 'reject'])).toEqual(['Approve', 'Reject'])
  expect(titles('approval/1', ['approve', 'approve-session', 'reject'])).toEqual([
    'Approve',
    'Approve for This Session',
    'Reject',
  ])
})

test('an interrupted call is neither approved nor rejected: the person reports what happened', () => {
  expect(titles('doubt/1', ['again', 'done', 'leave'])).toEqual(['Report What Happened…'])
})
