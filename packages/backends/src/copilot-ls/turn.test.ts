import { expect, it } from 'vitest'
import { Turn } from './turn.ts'

it('answers each call once: one with the id of a call that still waits is refused', async () => {
  const turn = new Turn({ token: 't', session: 's', method: 'conversation/create', now: () => 0 })
  const call = { name: 'look', input: {}, conversationId: 'C', turnId: 'T', toolCallId: 'c1' }
  const first = turn.called(call)
  expect(await turn.called(call)).toEqual([
    null,
    { code: -32000, message: 'A call with this id waits already.' },
  ])
  turn.give('c1', 'seen')
  expect(await first).toEqual([{ content: [{ value: 'seen' }], status: 'success' }, null])
})
