import { readFileSync, writeFileSync } from 'node:fs'
import { say } from '@cadre/testing'
import { expect, test } from 'vitest'
import { sessionText, template, temporaryHome, testDaemon, until } from '../daemon/daemon.spec-helpers.ts'
import type { DaemonContext } from '../daemon-context.ts'
import { readCheckIn, writeCheckIn } from './check-in-file.ts'
import { createCheckInsDuty } from './check-ins-duty.ts'

const facts = { approvals: 1, running: 2, queued: 0, counts: { tasks: { open: 3, failed: 1 } } }

test('sends a planner one check-in per interval, despite clock changes and restarts', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'planner-001')
  let context: DaemonContext | undefined
  const daemon = testDaemon(home, workspace, {
    lanes: { 'planner-001': [say('ready'), say('seen'), say('seen'), say('seen')] },
    duties: (given) => {
      context = given
      return []
    },
  })
  await daemon.start()
  if (context === undefined) throw new Error('unreachable')
  await context.sessions.start({ id: 'plan', agent: 'planner-001', work: { content: 'hello' } })
  await until(() => sessionText(home, 'plan').includes('outcome: completed'))
  const file = `${home.folder('storage')}/planner-checkin.yaml`
  // A long interval, so that the daemon's own duty does not send one first.
  writeFileSync(file, '# how often\ninterval_seconds: 600\nenabled: true\n')
  const create = () => createCheckInsDuty(context as DaemonContext, { facts: () => facts })
  const start = Date.now()
  let duty = create()
  await duty.start()
  await duty.tick?.(start)
  expect(readCheckIn(readFileSync(file, 'utf8')).checkIn).toMatchObject({ count: 0, reason: 'baseline' })
  await duty.tick?.(start + 599_000)
  expect(sessionText(home, 'plan')).not.toContain('checkin/')
  await duty.tick?.(start + 601_000)
  await until(() => sessionText(home, 'plan').includes('message: checkin/1'))
  expect(sessionText(home, 'plan')).toContain('tasks: 3 open, 1 failed')
  duty = create()
  await duty.start()
  await duty.tick?.(start + 602_000)
  // A year forward, and back.
  await duty.tick?.(start + 31_536_000_000)
  await duty.tick?.(start + 31_536_001_000)
  await duty.tick?.(start + 603_000)
  await duty.tick?.(start + 604_000)
  const text = readFileSync(file, 'utf8')
  expect(readCheckIn(text).checkIn).toMatchObject({ count: 2, enabled: true, interval: 600 })
  expect(text).toContain('# how often\n')
  await until(() => sessionText(home, 'plan').includes('message: checkin/2'))
  expect(sessionText(home, 'plan').match(/message: checkin\/\d/g)).toEqual([
    'message: checkin/1',
    'message: checkin/2',
  ])
})

test('reports an error in the file with its line', async () => {
  expect(readCheckIn('a: 1\ninterval_seconds: soon\n').problems).toMatchObject([{ line: 2 }])
  expect(readCheckIn('interval_seconds: [\n').problems).toMatchObject([{ severity: 'error' }])
  expect(readCheckIn('interval_seconds: 5\nenabled: false\n').checkIn?.enabled).toBe(false)
  expect(writeCheckIn('interval_seconds: 5', { last: 'x', count: 3, reason: "it's" })).toBe(
    "interval_seconds: 5\nlast_checkin: 'x'\ncheckin_count: 3\nlast_reason: 'it''s'\n",
  )
})
