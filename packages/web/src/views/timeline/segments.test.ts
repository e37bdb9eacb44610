import type { SessionView } from '@cadre/core'
import { expect, test } from 'vitest'
import { segmentsOf } from './segments.ts'

const at = (seconds: number) => new Date(seconds * 1000).toISOString()
const session = (rounds: readonly object[]) =>
  ({ id: 's', startedAt: at(0), rounds }) as unknown as SessionView
const seen = (rounds: readonly object[], now = 100) =>
  segmentsOf(session(rounds), now * 1000).map(({ kind, from, to, isOpen }) => [
    kind,
    from / 1000,
    to / 1000,
    isOpen,
  ])

test('a round asks the model, then its calls run', () => {
  expect(
    seen([
      {
        roundId: 1,
        startedAt: at(1),
        repliedAt: at(4),
        toolCalls: [{ id: 'a', name: 'x', status: 'done', startedAt: at(5), settledAt: at(9) }],
      },
    ]),
  ).toEqual([
    ['model', 1, 4, false],
    ['call', 5, 9, false],
  ])
})

test('a round without a start began when the session had nothing else to do', () => {
  const call = { id: 'a', name: 'x', status: 'done', startedAt: at(5), settledAt: at(9) }
  expect(
    seen([
      { roundId: 1, repliedAt: at(4), toolCalls: [call] },
      { roundId: 2, repliedAt: at(12), toolCalls: [] },
    ]),
  ).toEqual([
    ['model', 0, 4, false],
    ['call', 5, 9, false],
    ['model', 9, 12, false],
  ])
})

test('waiting for a person is a segment, during and after it', () => {
  const waiting = { id: 'a', name: 'x', status: 'waiting' }
  expect(seen([{ roundId: 1, startedAt: at(1), repliedAt: at(4), toolCalls: [waiting] }])).toEqual([
    ['model', 1, 4, false],
    ['person', 4, 100, true],
  ])
  const approved = {
    id: 'a',
    name: 'x',
    status: 'done',
    person: { decision: 'approve', by: 'ann', at: at(50) },
    startedAt: at(51),
    settledAt: at(52),
  }
  expect(seen([{ roundId: 1, startedAt: at(1), repliedAt: at(4), toolCalls: [approved] }])).toEqual([
    ['model', 1, 4, false],
    ['person', 4, 50, false],
    ['call', 51, 52, false],
  ])
})

test('running segments end now; calls in an ended session do not', () => {
  const call = (status: string) => [{ id: 'a', name: 'x', status, startedAt: at(5) }]
  const round = { roundId: 1, startedAt: at(1), repliedAt: at(4) }
  expect(seen([{ ...round, toolCalls: call('running') }]).at(-1)).toEqual(['call', 5, 100, true])
  expect(seen([{ ...round, toolCalls: call('cancelled') }]).at(-1)).toEqual(['call', 5, 5, false])
  expect(seen([{ roundId: 1, startedAt: at(1), toolCalls: [] }])).toEqual([['model', 1, 100, true]])
})

test('ignores times that cannot be parsed', () => {
  expect(seen([{ roundId: 1, startedAt: 'x', repliedAt: 'y', toolCalls: [] }])).toEqual([
    ['model', 0, 100, true],
  ])
})
