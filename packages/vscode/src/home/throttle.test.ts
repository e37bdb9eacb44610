import { expect, onTestFinished, test } from 'vitest'
import { throttle } from './throttle.ts'

test('does what is asked for together once, and what is asked for meanwhile once more', async () => {
  const begun: (() => void)[] = []
  const work = throttle(() => new Promise<void>((resolve) => begun.push(resolve)), 0)
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
  const work = throttle(() => count++, 0)
  work.soon()
  work.dispose()
  work.soon()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(count).toBe(0)
})
