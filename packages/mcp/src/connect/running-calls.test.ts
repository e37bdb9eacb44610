import { expect, test } from 'vitest'
import type { ElicitationAnswer } from '../elicit/elicitation.ts'
import { RunningCalls } from './running-calls.ts'

const never = new AbortController().signal
const caller = { session: 's', agent: 'lead', call: 'c' }
const aborted = (signal: AbortSignal) =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason)
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true })
  })

test('a silent call is aborted, and the reason names the time', async () => {
  const call = new RunningCalls().start({ signal: never, idleLimit: 5 })
  expect(String(await aborted(call.signal))).toContain('timed out: the server was silent for 5 ms')
})

test('no call is aborted while a person answers, and the time restarts afterwards', async () => {
  const calls = new RunningCalls()
  const first = calls.start({ signal: never, idleLimit: 5, caller })
  let answer = (_: ElicitationAnswer) => {}
  const asked = calls.ask(() => new Promise((resolve) => (answer = resolve)), never)
  // Another connection measures the time.
  const other = new RunningCalls()
  await aborted(other.start({ signal: never, idleLimit: 40 }).signal)
  expect(first.signal.aborted).toBe(false)
  answer({ action: 'accept' })
  expect(await asked).toEqual({ action: 'accept' })
  await aborted(first.signal)
})

test('a question ends when the last call ends, even if the surface does not close it', async () => {
  const calls = new RunningCalls()
  const call = calls.start({ signal: never, idleLimit: 60_000, caller })
  let seen: AbortSignal | undefined
  const asked = calls.ask((signal) => {
    seen = signal
    return new Promise(() => {})
  }, never)
  expect(seen?.aborted).toBe(false)
  call.end()
  expect(await asked).toEqual({ action: 'cancel' })
  expect(seen?.aborted).toBe(true)
})

test('a notice reaches every call that is running', async () => {
  const calls = new RunningCalls()
  const told: string[] = []
  const ended = calls.start({ signal: never, idleLimit: 60_000, notice: () => void told.push('ended') })
  ended.end()
  const running = ['a', 'b'].map((name) =>
    calls.start({ signal: never, idleLimit: 60_000, notice: (text) => void told.push(`${name}: ${text}`) }),
  )
  await calls.ask(async () => ({ action: 'decline', notice: 'Declined.' }), never)
  expect(told).toEqual(['a: Declined.', 'b: Declined.'])
  for (const call of running) call.end()
})

test('a server may ask only during a call, and at most 20 questions', () => {
  const calls = new RunningCalls()
  expect(calls.mayAsk()).toBe(false)
  const call = calls.start({ signal: never, idleLimit: 60_000 })
  expect(Array.from({ length: 25 }, () => calls.mayAsk()).filter(Boolean)).toHaveLength(20)
  call.end()
  calls.start({ signal: never, idleLimit: 60_000 }).end()
  expect(calls.mayAsk()).toBe(false)
})
