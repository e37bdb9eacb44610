import { expect, test } from 'vitest'
import { systemClock } from './pause.ts'

test.each([2 ** 31, Infinity])('a delay of %d ms does not end at once', async (delay) => {
  const fired: string[] = []
  const cancel = systemClock.after(delay, () => fired.push('long'))
  // The system fires a timer with a shorter delay first.
  await new Promise<void>((resolve) => {
    const alive = setInterval(() => {}, 1_000)
    systemClock.after(5, () => {
      clearInterval(alive)
      resolve()
    })
  })
  cancel()
  expect(fired).toEqual([])
})
