import { createFakeClock } from '@cadre/testing'
import { expect, test } from 'vitest'
import { watchSilence } from './watch-silence.ts'

test('tells a person about silence soon, then less and less often, and again after an event', () => {
  const clock = createFakeClock()
  const told: number[] = []
  let last = clock.now()
  const stop = watchSilence({ clock, lastEventAt: () => last, tell: (seconds) => void told.push(seconds) })
  const pass = (seconds: number) => {
    for (let passed = 0; passed < seconds; passed++) clock.advance(1_000)
  }
  pass(4)
  expect(told).toEqual([])
  pass(126)
  expect(told).toEqual([5, 20, 60, 120])
  last = clock.now()
  pass(10)
  expect(told.slice(4)).toHaveLength(1)
  stop()
  pass(600)
  expect(told).toHaveLength(5)
})
