import { expect, test } from 'vitest'
import { approvedBy, hasApproved, missingAfterOne } from './approval-count.ts'

const vote = (by: string, decision: string) => ({ by, decision, via: 'page', at: '' })
const needed = { quorum: 3, roles: [], notByStarter: false }

test('counts everything that permits the call', () => {
  expect(
    approvedBy([vote('a', 'approve'), vote('b', 'approve-session'), vote('c', 'done'), vote('d', 'reject')]),
  ).toBe(3)
})

test('knows how many are missing after one more', () => {
  expect(missingAfterOne({ needed, votes: [] })).toBe(2)
  expect(missingAfterOne({ needed, votes: [vote('a', 'approve'), vote('b', 'approve')] })).toBe(0)
  expect(missingAfterOne({ votes: [] })).toBe(0)
})

test('knows who has approved, only if several people must approve', () => {
  const votes = [vote('a', 'approve')]
  expect(hasApproved({ needed, votes }, 'a')).toBe(true)
  expect(hasApproved({ needed, votes }, 'b')).toBe(false)
  expect(hasApproved({ needed, votes }, undefined)).toBe(false)
  expect(hasApproved({ votes }, 'a')).toBe(false)
})
