/** The moment at which the page predicts that a budget refuses is the one at which the budget of the engine then does. */
import {
  applyToView,
  type Budget,
  type Entry,
  emptyView,
  eventsOf,
  type SessionView,
  type StoredSession,
} from '@cadre/core'
import { call, createFakeClock, createTestTeam } from '@cadre/testing'
import { expect, test } from 'vitest'
import { burnDown, firstToRefuse, spendingsOf } from '../../packages/web/src/views/timeline/burn-down.ts'
import { countingTools } from '../engine/tools.ts'

const roundMs = 1000
const used = { input: 900, output: 100 }

/** A session that makes one call each second until its budget stops it, or the script ends. */
async function runUntilRefused(budget: Budget, rounds: number): Promise<StoredSession> {
  const clock = createFakeClock()
  const line = (round: number) => () => {
    clock.advance(roundMs)
    return { ...call(['look', { path: `${round}`, size: 1 }]), usage: used }
  }
  const team = createTestTeam({
    agents: [{ name: 'solo' }],
    clock,
    lanes: { solo: Array.from({ length: rounds }, (_, round) => line(round)) },
    tools: countingTools().tools,
    limits: { budget, maxRounds: rounds },
  })
  const { session } = await team.report({ agent: 'solo' })
  const stored = await team.engine.read(session)
  if (stored === undefined) throw new Error('no journal')
  return stored
}

const timeOf = ({ timestamp }: Entry) => Date.parse(timestamp)

/** What the page predicts from the entries until then. */
function predict(stored: StoredSession, budget: Budget, now: number): number {
  const view = emptyView()
  const entries = stored.entries.filter((entry) => timeOf(entry) <= now)
  for (const event of eventsOf({ ...stored, entries })) applyToView(view, event)
  const session = view.sessions.get(stored.spec.id) as SessionView
  const from = Date.parse(stored.spec.created)
  const spendings = spendingsOf([session])
  const first = firstToRefuse(burnDown({ budget, spendings, from, now, isRunning: true }))
  return first?.refusesAt ?? Number.NaN
}

test('of a budget of calls: the next call after that moment is refused', async () => {
  const budget = { calls: 12 }
  const stored = await runUntilRefused(budget, 16)
  const refused = stored.entries.find(
    (entry) => entry.role === 'tool_result' && entry.content.includes('is used up (12 calls)'),
  )
  if (refused === undefined) throw new Error('no call was refused')
  const calls = stored.entries.filter((entry) => entry.role === 'event' && entry.type === 'call.started')
  expect(calls).toHaveLength(12)
  for (const at of [3, 6, 9, 11].map((index) => timeOf(calls[index] as Entry)))
    expect(predict(stored, budget, at)).toBe(timeOf(refused) - roundMs)
})

test('of a budget of tokens: no later than one request before it is empty', async () => {
  const budget = { tokens: 30_000 }
  const stored = await runUntilRefused(budget, 60)
  const end = stored.entries.at(-1) as Entry
  expect(JSON.stringify(end)).toContain('does not allow another request')
  const sent = stored.entries.filter((entry) => entry.role === 'event' && entry.type === 'request.sent')
  expect(sent.length).toBeGreaterThan(10)
  // The budget refuses the request whose input and shortest reply it cannot pay.
  const most = Number((sent.at(-1) as unknown as { input: number }).input) + 64
  const [middle] = sent.slice(sent.length / 2)
  const predicted = predict(stored, budget, timeOf(middle as Entry))
  const perRound = used.input + used.output
  expect(predicted).toBeGreaterThanOrEqual(timeOf(end))
  expect(predicted - timeOf(end)).toBeLessThanOrEqual(Math.ceil(most / perRound + 1) * roundMs)
})
