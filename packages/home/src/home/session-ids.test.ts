import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sessionIds } from './session-ids.ts'

test('creates ids that are safe as file names for any agent name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (agent) => {
      expect(sessionIds.session(agent)).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,39})-[a-z0-9]{8}$/)
    }),
  )
  expect(sessionIds.session('CVE_Remediator')).toMatch(/^cve-remediator-\w{8}$/)
  expect(sessionIds.session('漢字')).toMatch(/^agent-\w{8}$/)
})

test('creates unique ids', () => {
  const ids = Array.from({ length: 10_000 }, () => sessionIds.session('a'))
  expect(new Set(ids).size).toBe(ids.length)
})
