import { expect, test } from 'vitest'
import { describeRequest, neededWords } from './approval-words.ts'

test.each([
  ['terminal_command', 'npm test', 'wants to run a command'],
  ['file_write', 'src/a.ts', 'wants to write a file'],
  ['file_write', 'src/a.ts\nsrc/b.ts', 'wants to write 2 files'],
  ['slack_send', '{}', 'wants to use slack_send'],
  ['in_doubt', 'npm publish', 'was interrupted during a call'],
])('describes %s of %j', (type, action, words) => {
  expect(describeRequest({ type, action })).toBe(words)
})

test('names the people whose votes count', () => {
  expect(neededWords({ quorum: 2, roles: ['approver', 'admin'], notByStarter: false })).toBe(
    'approvals from people with the role approver or admin',
  )
  expect(neededWords({ quorum: 2, roles: [], notByStarter: true })).toBe(
    'approvals, but not from people who influenced the run',
  )
})
