import { expect, test } from 'vitest'
import { decisionText } from './decision-text.ts'

const approval = { root: 'lead-1', votes: [] }
const approved = { decided: true, decision: 'approve', recorded: true }

test('names the decision while a daemon continues the run', () => {
  expect(decisionText(approval, approved, true)).toBe('Approved.')
  expect(decisionText(approval, { ...approved, decision: 'reject' }, true)).toBe('Rejected.')
  expect(decisionText(approval, { ...approved, decision: 'done' }, true)).toBe('Recorded: done.')
})

test('names the command that continues the run if no daemon does', () => {
  expect(decisionText(approval, approved, false)).toBe(
    'Recorded. To continue the run, use: cadre resume lead-1',
  )
})

test('names no command if a process still runs the session', () => {
  expect(decisionText(approval, { ...approved, recorded: false }, false)).toBe('Approved.')
})

test('counts the approvals that are still needed', () => {
  const needed = { quorum: 3, roles: [], notByStarter: false }
  expect(decisionText({ ...approval, needed }, { ...approved, decided: false }, false)).toBe(
    'Recorded your vote. 2 more approvals needed.',
  )
})
