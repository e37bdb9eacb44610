import { expect, onTestFinished, test, vi } from 'vitest'
import { TreeChecks } from './tree-checks.ts'

function openChecks(check: (root: string) => Promise<void>) {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const checked: string[] = []
  const reports: (string | undefined)[] = []
  const checks = new TreeChecks({
    check(root) {
      checked.push(root)
      return check(root)
    },
    report: (_root, message) => reports.push(message),
  })
  const tick = async (ms: number) => {
    vi.advanceTimersByTime(ms)
    checks.tick()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { checks, checked, reports, tick }
}

test('repeats a failed check after pauses that become longer, and clears its problem', async () => {
  let isHeld = true
  const { checks, checked, reports, tick } = openChecks(async () => {
    if (isHeld) throw new Error('held elsewhere')
  })
  await checks.check('lead-1', 'lead')
  await tick(900)
  expect(checked).toHaveLength(1)
  await tick(200)
  await tick(1_000)
  expect(checked).toHaveLength(2)
  isHeld = false
  await tick(1_000)
  expect(reports).toEqual(['held elsewhere', 'held elsewhere', undefined])
  await tick(60_000)
  expect(checked).toHaveLength(3)
})

test('a tree whose check fails does not delay others', async () => {
  const { checks, checked } = openChecks(async (root) => {
    if (root === 'lead-1') throw new Error('held elsewhere')
  })
  for (const root of ['lead-1', 'lead-2', 'lead-1', 'lead-3']) await checks.check(root, 'lead')
  expect(checked).toEqual(['lead-1', 'lead-2', 'lead-1', 'lead-3'])
})

test('checks a tree again that changes during its check, and not twice at once', async () => {
  const ends: (() => void)[] = []
  const { checks, checked } = openChecks(() => new Promise((resolve) => void ends.push(resolve)))
  const first = checks.check('lead-1', 'lead')
  const others = [checks.check('lead-1', 'lead'), checks.check('lead-1', 'lead')]
  expect(checked).toHaveLength(1)
  ends[0]?.()
  await vi.waitFor(() => expect(checked).toHaveLength(2))
  ends[1]?.()
  await Promise.all([first, ...others])
  expect(checked).toHaveLength(2)
})

test('a failed check that is repeated at the same time as others has a limit', async () => {
  let isAway = true
  const { checks, checked, tick } = openChecks(() =>
    isAway ? Promise.reject(new Error('away')) : new Promise(() => {}),
  )
  for (let count = 0; count < 40; count++) await checks.check(`lead-${count}`, 'lead')
  isAway = false
  checked.length = 0
  await tick(1_100)
  await tick(1_100)
  expect(checked).toHaveLength(16)
  checks.close()
  await checks.check('late-1', 'lead')
  expect(checked).toHaveLength(16)
})
