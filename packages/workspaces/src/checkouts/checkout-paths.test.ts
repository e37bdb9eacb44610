import { expect, test } from 'vitest'
import { createCheckoutPaths, folderInCheckout, recordedCheckout } from './checkout-paths.ts'

const { toLocal, toRecorded } = createCheckoutPaths({
  checkouts: '/home/a/.cadre/workspaces/.checkouts/9080',
  workspaces: '/home/a/.cadre/workspaces',
})

test('replaces the paths of a worker in everything that is recorded, and back', () => {
  const spec = {
    workspace: '/home/a/.cadre/workspaces/.checkouts/9080/lead-1/sub',
    isolation: { kind: 'own', base: '/home/a/.cadre/workspaces/child-1' },
    calls: [{ arguments: '{"path":"/home/a/.cadre/workspaces/.checkouts/9080/lead-1/a.txt"}' }],
    depth: 1,
  }
  const recorded = toRecorded(spec)
  expect(recorded).toEqual({
    workspace: '/cadre/checkouts/lead-1/sub',
    isolation: { kind: 'own', base: '/cadre/workspaces/child-1' },
    calls: [{ arguments: '{"path":"/cadre/checkouts/lead-1/a.txt"}' }],
    depth: 1,
  })
  expect(toLocal(recorded)).toEqual(spec)
})

test('leaves everything else as it is', () => {
  const entry = { content: 'See /srv/cadre/checkouts/x and x/cadre/checkouts/y.', list: [1, null] }
  expect(toLocal(entry)).toBe(entry)
  expect(toRecorded(entry)).toBe(entry)
})

test('a workspace is a folder of the checkout', () => {
  expect(recordedCheckout('lead-1')).toBe('/cadre/checkouts/lead-1')
  expect(recordedCheckout('lead-1', 'packages/core')).toBe('/cadre/checkouts/lead-1/packages/core')
  expect(folderInCheckout('lead-1', '/cadre/checkouts/lead-1/packages/core')).toBe('packages/core')
  expect(folderInCheckout('lead-1', '/cadre/checkouts/lead-1/../../etc')).toBe('')
})
