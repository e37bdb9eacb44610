import { expect, onTestFinished, test, vi } from 'vitest'
import { throttle } from './throttle.ts'

const faults: (string | Error)[] = []
const log = { error: (error: string | Error) => faults.push(error) }

test('merges requests before a run, and requests during it into one more run', async () => {
  const begun: (() => void)[] = []
  const work = throttle(() => new Promise<void>((resolve) => begun.push(resolve)), { pause: 0, log })
  onTestFinished(() => work.dispose())
  const until = async (count: number) => {
    while (begun.length < count) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  work.soon()
  work.soon()
  await until(1)
  work.soon()
  work.soon()
  begun[0]?.()
  await until(2)
  expect(begun).toHaveLength(2)
})

test('does nothing after it was disposed', async () => {
  let count = 0
  const work = throttle(() => count++, { pause: 0, log })
  work.soon()
  work.dispose()
  work.soon()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(count).toBe(0)
})

test('reports failed work, and runs it again on request', async () => {
  let count = 0
  const work = throttle(
    async () => {
      count++
      throw new Error(`fault ${count}`)
    },
    { pause: 0, log },
  )
  onTestFinished(() => work.dispose())
  for (const expected of ['fault 1', 'fault 2']) {
    work.soon()
    await expect.poll(() => faults.at(-1)).toEqual(new Error(expected))
  }
})

test('waits until there are no more requests', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let count = 0
  const work = throttle(() => count++, { pause: 0, quiet: 400, log })
  for (let n = 0; n < 5; n++) {
    work.soon()
    vi.advanceTimersByTime(399)
  }
  expect(count).toBe(0)
  vi.advanceTimersByTime(1)
  expect(count).toBe(1)
})
