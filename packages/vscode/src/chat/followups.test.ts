import { expect, it } from 'vitest'
import { followups } from './followups.ts'

const offered = (metadata?: object) => followups({ ...(metadata && { metadata }) }).map(({ label }) => label)

it('offers nothing after a complete answer', () => {
  expect(offered()).toEqual([])
  expect(offered({ status: 'completed', session: 'lead-4k2' })).toEqual([])
})

it('offers to continue a session that failed, was stopped or waits', () => {
  for (const status of ['error', 'cancelled', 'waiting'])
    expect(offered({ status, session: 'lead-4k2' })).toEqual(['Continue', 'Show status'])
  expect(followups({ metadata: { status: 'waiting', session: 'lead-4k2' } })[0]).toMatchObject({
    prompt: 'lead-4k2',
    command: 'approve',
  })
})

it('continues nothing that has reported, and nothing that is not a session', () => {
  expect(offered({ status: 'incomplete', session: 'lead-4k2' })).toEqual(['Show status'])
  expect(offered({ status: 'error', session: '../../x' })).toEqual(['Show status'])
})
