import type { Approval } from '@cadre/api'
import { expect, test } from 'vitest'
import { findApprovals, safePath } from './find-approvals.ts'

const approval = {
  id: 'lead-1.c1',
  agent: 'lead',
  action: 'git push --force',
  why: 'The policy asks.',
  status: 'pending',
  created: '2026-11-15T10:00:00Z',
} as Approval

test('finds an approval by its action, in any case', () => {
  const [hit] = findApprovals([approval], ' PUSH ')
  expect(hit).toMatchObject({ kind: 'approval', id: 'lead-1.c1', url: '/waiting/lead-1%2Ec1' })
  expect(hit?.excerpt).toContain('git push --force')
  expect(findApprovals([approval], 'merge')).toEqual([])
  expect(findApprovals([approval], ' ')).toEqual([])
})

test.each([
  ['/sessions/x', '/sessions/x'],
  ['//evil.test/x', undefined],
  ['/\\evil.test', undefined],
  ['javascript:alert(1)', undefined],
  ['https://evil.test', undefined],
])('the address %s becomes the link %s', (url, link) => {
  expect(safePath(url)).toBe(link)
})
