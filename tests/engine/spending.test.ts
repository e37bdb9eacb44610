import type { Engine } from '@cadre/core'
import { expect, test } from 'vitest'
import { spendingInSubtree } from '../../packages/core/src/budget/spending.ts'

/** The usage according to the journal of one session with these entries. */
function tokensOf(...entries: readonly object[]): Promise<number> {
  const numbered = entries.map((entry, index) => ({ seq: index + 1, at: '', ...entry }))
  const engine = { read: async () => ({ entries: numbered }) } as unknown as Engine
  return spendingInSubtree(engine, 'lead-1', 'lead-1').then(({ tokens }) => tokens)
}

const sent = (input: number, output: number) => ({ role: 'event', type: 'request.sent', input, output })
const reply = (input: number, output: number) => ({
  role: 'assistant',
  content: 'x',
  usage: { input, output },
})

test('a request is charged the usage its reply reports, or its full reservation if there is no reply', async () => {
  expect(await tokensOf(sent(10, 20), reply(1, 2))).toBe(3)
  expect(await tokensOf(sent(10, 20))).toBe(30)
})

test('a request in flight when a process died counts in full, in addition to the repeated one', async () => {
  expect(await tokensOf(sent(10, 20), sent(10, 20), reply(1, 2))).toBe(33)
  expect(await tokensOf(sent(10, 20), sent(5, 5), sent(1, 1))).toBe(42)
})

test('tokens that a tool reserved count with the reported usage, and in full without a report', async () => {
  const reserved = (call: string, input: number) => ({ role: 'event', type: 'tokens.reserved', call, input })
  const settled = (call: string, input: number) => ({
    role: 'event',
    type: 'tokens.settled',
    call,
    usage: { input, output: 0 },
  })
  const result = (call: string, input: number) => ({
    role: 'tool_result',
    tool_call_id: call,
    content: 'x',
    usage: { input, output: 0 },
  })
  expect(await tokensOf(reserved('a', 100), settled('a', 7), result('a', 7))).toBe(7)
  expect(await tokensOf(reserved('a', 100))).toBe(100)
  expect(await tokensOf(reserved('a', 100), reserved('b', 50), settled('a', 7))).toBe(57)
  expect(await tokensOf(reserved('a', 100), reserved('a', 10), settled('a', 7))).toBe(107)
  // Without a budget, nothing was reserved. The usage of a delegation is in the journal of its child.
  expect(await tokensOf(result('a', 7))).toBe(7)
  const started = { role: 'event', type: 'call.started', call: 'a', child: 'lead-1' }
  expect(await tokensOf(started, result('a', 7))).toBe(0)
})
