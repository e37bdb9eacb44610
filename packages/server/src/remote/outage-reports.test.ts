import { expect, it } from 'vitest'
import { OutageReports } from './outage-reports.ts'

it('clears only what says that the server cannot be reached', () => {
  const shown = new Map<string, string | undefined>()
  const outages = new OutageReports()
  const report = outages.of((session, message) => shown.set(session, message))
  report('down', 'Cannot resume this session yet: cannot reach the Restate server at http://x: no. Start it.')
  report('other', 'the disk is full')
  report('changed', 'cannot reach the Restate server at http://x: no. Start it.')
  report('changed', 'the disk is full')
  outages.clear()
  expect([...shown]).toEqual([
    ['down', undefined],
    ['other', 'the disk is full'],
    ['changed', 'the disk is full'],
  ])
})
