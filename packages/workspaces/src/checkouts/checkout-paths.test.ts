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
  expect(folderInCheckout('lead-1', '/cadre/checkouts/lead-1')).toBe('')
})

test.each([
  '/cadre/checkouts/lead-1/../../etc',
  '/cadre/checkouts/../../../..',
  '/cadre/checkouts/lead-2',
  '/cadre/checkouts/lead-1/a/../b',
  '/cadre/checkouts/lead-1//a',
  '/cadre/checkouts/lead-1/a/',
  '/etc',
  'cadre/checkouts/lead-1',
  '',
])('%j is no folder in the checkout of lead-1', (workspace) => {
  expect(folderInCheckout('lead-1', workspace)).toBeUndefined()
})

test.each([
  'See /cadre/checkouts/ in the docs.',
  'See /cadre/~checkouts/x, /cadre/~~workspaces/ and /cadre/=checkouts/.',
  'cc -I/home/a/.cadre/workspaces/.checkouts/9080/lead-1/include -I/cadre/checkouts/x',
])('%j comes back from the record as it was', (text) => {
  expect(toRecorded({ text }).text).not.toContain('/home/a')
  expect(toLocal(toRecorded({ text }))).toEqual({ text })
})

test('every text comes back from the record as it was', () => {
  const parts = [
    ...['/home/a/.cadre/workspaces/.checkouts/9080/', '/home/a/.cadre/workspaces/', '/cadre/', 'cadre/', '/'],
    ...['checkouts/', 'workspaces/', 'checkouts', '~', '=', 'x', ' ', '.', '-I'],
  ]
  let seed = 4711
  const next = (max: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * max)
  }
  for (let count = 0; count < 20_000; count++) {
    const text = Array.from({ length: next(9) }, () => parts[next(parts.length)]).join('')
    expect(toLocal(toRecorded(text))).toBe(text)
  }
})
