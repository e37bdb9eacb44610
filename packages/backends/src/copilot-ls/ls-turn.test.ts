import { expect, it } from 'vitest'
import { LsTurn } from './ls-turn.ts'

const newTurn = () => new LsTurn({ token: 't', session: 's', method: 'conversation/create', now: () => 0 })
const call = { name: 'look', input: {}, conversationId: 'C', turnId: 'T', toolCallId: 'c1' }

it('answers each call once: a second call with the id of a pending one is refused', async () => {
  const turn = newTurn()
  const first = turn.called(call)
  expect(await turn.called(call)).toEqual([
    null,
    { code: -32000, message: 'A call with this id is already pending.' },
  ])
  turn.give('c1', 'seen')
  expect(await first).toEqual([{ content: [{ value: 'seen' }], status: 'success' }, null])
})

it.each<[string, (turn: LsTurn) => void]>([
  ['was abandoned', (turn) => turn.abandon()],
  ['is over', (turn) => turn.answered({ kind: 'answer', value: { conversationId: 'C' } })],
  ['has failed', (turn) => turn.fail('it was too long')],
])('refuses a call when the turn %s, so that it does not run', async (_, end) => {
  const turn = newTurn()
  end(turn)
  const refused = turn.called(call)
  const events = Array.from({ length: 5 }, () => turn.next()?.kind)
  expect(events).not.toContain('called')
  expect(await refused).toEqual([null, { code: -32000, message: 'The turn was stopped.' }])
})
