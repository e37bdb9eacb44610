import type { Approval, SessionRow } from '@cadre/api'
import { expect, test } from 'vitest'
import { PendingApprovals } from './pending-approvals.ts'
import { pendingUnder } from './pending-under.ts'
import { SessionRows } from './session-rows.ts'

const row = (id: string, parent?: string) =>
  ({ id, root: 'lead', seq: 1, subtree: {}, ...(parent && { parent }) }) as unknown as SessionRow

test('finds the pending approvals of a session and of everything below it', () => {
  const approvals = new PendingApprovals()
  const asked = { root: 'lead', status: 'pending', created: '' }
  for (const session of ['builder', 'tester'])
    approvals.put({ ...asked, id: session, session } as unknown as Approval)
  const rows = new SessionRows({ schedule: (flush) => flush() })
  rows.openTree('lead')
  const under = (id: string) => pendingUnder({ approvals, rows }, id).map(({ session }) => session)
  expect(under('lead')).toEqual(['builder', 'tester'])
  expect(under('planner')).toEqual([])
  const tree = [row('lead'), row('planner', 'lead'), row('builder', 'planner'), row('tester', 'lead')]
  for (const one of tree) rows.put(one)
  expect(under('planner')).toEqual(['builder'])
  expect(under('builder')).toEqual(['builder'])
  expect(under('lead')).toEqual(['builder', 'tester'])
})
