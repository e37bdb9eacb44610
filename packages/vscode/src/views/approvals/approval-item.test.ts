import { expect, test } from 'vitest'
import { type ApprovalItem, newApprovalsMessage } from './approval-item.ts'

const item = (changes: Partial<ApprovalItem> = {}): ApprovalItem => ({
  id: 'approval-1',
  session: 'lead-1',
  root: 'lead-1',
  question: 'approval/1',
  agent: 'lead',
  risk: 'HIGH',
  title: 'Write a.txt',
  text: 'Path: a.txt',
  isWhole: true,
  isDoubt: false,
  isRepeatable: false,
  grants: [],
  created: '2026-01-01T10:00:00.000Z',
  isShown: false,
  ...changes,
})
const shown = item({ isShown: true })

test('notifies only about what the person does not see elsewhere', () => {
  expect(newApprovalsMessage([])).toBeUndefined()
  expect(newApprovalsMessage([shown])).toBeUndefined()
  expect(newApprovalsMessage([shown, item()])).toEqual({
    message: 'lead asks for your approval (high risk).',
    only: item(),
  })
  expect(newApprovalsMessage([shown, item(), item(), shown])).toEqual({ message: '2 approvals pending.' })
})

test('does not call an interrupted call an approval', () => {
  const doubt = item({ isDoubt: true, risk: undefined })
  expect(newApprovalsMessage([doubt])).toEqual({ message: 'A call by lead was interrupted.', only: doubt })
})
