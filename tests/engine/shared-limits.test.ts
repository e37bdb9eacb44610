import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayOf, type Ledger, type RunResult } from '@cadre/core'
import { createLedger, type LedgerStore, openHome, openLedgerFiles } from '@cadre/home'
import { createFakeClock, createTestTeam, type FakeClock, say, type TestTeamOptions } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { amount } from '../support/amount.ts'
import { randomOf, runRandomTree } from './budget-trees.ts'
import { crashAt, worlds } from './worlds.ts'

const never = () => new AbortController().signal
const usage = (input: number, output: number) => ({ usage: { input, output } })

/** A ledger in the files of a new home. */
function openLedger(
  config: Parameters<typeof createLedger>[0],
  clock: Pick<FakeClock, 'now'> = createFakeClock(),
): { readonly ledger: Ledger; readonly store: LedgerStore } {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-ledger-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = openHome({ home: folder, cwd: folder, env: {} })
  const store = openLedgerFiles(home, () => clock.now())
  return { ledger: createLedger(config, store.change, 'here') as Ledger, store }
}

function team(options: Partial<TestTeamOptions> & { readonly ledger: Ledger }) {
  return createTestTeam({
    agents: [{ name: 'lead' }],
    lanes: { lead: [{ ...say('done'), ...usage(146, 200) }] },
    model: { maxOutput: 200 },
    ...options,
  })
}

const groups = amount({ usual: 4, deep: 24 })

test.each(worlds)(
  'trees in parallel never exceed the daily budgets, on $name',
  {
    timeout: 600_000,
  },
  async ({ create }) => {
    const seeds = randomOf(Number(process.env['CADRE_BUDGET_SEED'] ?? 20_261_118))
    let refused = 0
    let killed = 0
    for (let group = 0; group < groups; group++) {
      const tokens = 20_000 + Math.floor(seeds() * 150_000)
      const cost = 0.05 + seeds() * 3
      const worker = 5_000 + Math.floor(seeds() * 60_000)
      const clock = createFakeClock()
      const { ledger, store } = openLedger(
        { budgets: { day: { tokens, cost }, agents: { worker: { tokens: worker } } } },
        clock,
      )
      const trees = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const seed = Math.floor(seeds() * 2 ** 32)
          const world = create()
          const result = await runRandomTree(seed, world, ledger)
          await world.dispose()
          return result
        }),
      )
      const sum = (of: (tree: (typeof trees)[0]) => number) => trees.reduce((all, one) => all + of(one), 0)
      expect(trees.flatMap(({ overdrawn }) => overdrawn)).toEqual([])
      expect(sum(({ billed }) => billed.tokens)).toBeLessThanOrEqual(tokens)
      expect(sum(({ billed }) => billed.cost)).toBeLessThanOrEqual(cost * (1 + 1e-12))
      expect(sum(({ billedTo }) => billedTo('worker'))).toBeLessThanOrEqual(worker)
      const { spent, open } = await store.readDay(dayOf(clock.now()))
      // No life leaves a reservation behind.
      expect(open).toEqual([])
      expect(spent['day']?.tokens ?? 0).toBeGreaterThanOrEqual(sum(({ billed }) => billed.tokens))
      refused += trees.filter(({ isEndedByBudget }) => isEndedByBudget).length
      killed += trees.filter(({ lives }) => lives > 1).length
    }
    expect(refused).toBeGreaterThan(0)
    expect(killed).toBeGreaterThan(0)
  },
)

describe('daily budgets', () => {
  test('ends a session with the reason and the fix, and allows it the next day', async () => {
    const clock = createFakeClock()
    const { ledger, store } = openLedger({ budgets: { day: { tokens: 1_000 } } }, clock)
    const { orchestrator, models, report } = team({ ledger, clock })
    const first = await report({ agent: 'lead', id: 'a' })
    expect(first.status).toBe('completed')
    expect((await store.readDay('2026-01-01')).spent['day']).toEqual({ tokens: 346, nanos: 0 })
    const second = await report({ agent: 'lead', id: 'b', work: 'x'.repeat(500) })
    expect(second).toMatchObject({ status: 'incomplete' })
    expect(second.notices?.at(-1)).toMatchObject({ code: 'budget_exceeded' })
    expect(second.notices?.at(-1)?.message).toMatch(
      /budgets\.day \(1000 tokens a day\).*346 tokens are spent.*config\.yaml.*tomorrow/,
    )
    expect(models.requests).toHaveLength(1)
    clock.advance(86_400_000)
    const result = await orchestrator.resume('b', { work: 'go on' }, never())
    expect(result).toMatchObject({ kind: 'report', report: { status: 'completed' } })
    expect((await store.readDay('2026-01-02')).spent['day']?.tokens).toBe(346)
  })

  test('is asked only for sessions that it covers, and covers the sessions that they start', async () => {
    const { ledger } = openLedger({
      budgets: { agents: { boss: { tokens: 900 } }, teams: { core: { agents: ['worker'], cost: 1 } } },
    })
    expect(ledger.ceilings({ chain: ['lead'] })).toEqual([])
    expect(ledger.ceilings({ chain: ['boss', 'helper'] }).map(({ key }) => key)).toEqual(['agent:boss'])
    expect(ledger.ceilings({ chain: ['lead', 'worker'] }).map(({ key }) => key)).toEqual(['team:core'])
    const none = createLedger({ limits: { depth: 2 } }, ledger.change, 'here')
    expect(none).toBeUndefined()
  })

  test.each(worlds)(
    'is given back by the next life of a tree that died before its request, on $name',
    async ({ create }) => {
      const world = create()
      onTestFinished(() => world.dispose())
      const { ledger, store } = openLedger({ budgets: { day: { tokens: 1_000 } } }, world.clock)
      const lives = { ...{ ledger, clock: world.clock } }
      let isDead = false
      const dying: Ledger = {
        ...ledger,
        async change(account, order) {
          const answer = isDead ? await new Promise<never>(() => {}) : await ledger.change(account, order)
          if (order.kind !== 'reserve') return answer
          isDead = true
          return new Promise<never>(() => {})
        },
      }
      const { engine } = crashAt(await world.open(), Infinity)
      const first = team({ ...lives, ledger: dying, engine })
      // Some engines tell a life that is over that another one has taken over.
      first.run({ agent: 'lead', id: 'a' }).catch(() => {})
      const day = dayOf(world.clock.now())
      while ((await store.readDay(day)).open.length === 0)
        await new Promise((resolve) => setTimeout(resolve, 5))
      await world.close()
      const { orchestrator, models } = team({ ...lives, engine: await world.open() })
      const result: RunResult = await orchestrator.resume('a', {}, never())
      expect(result).toMatchObject({ kind: 'report', report: { status: 'completed' } })
      expect(first.models.requests.length + models.requests.length).toBe(1)
      expect(await store.readDay(day)).toEqual({ spent: { day: { tokens: 346, nanos: 0 } }, open: [] })
    },
  )

  test('does not keep a session whose request waits from being cancelled', async () => {
    const { ledger } = openLedger({ budgets: { day: { tokens: 600 } } })
    const hanging = team({ ledger, lanes: { lead: ['hang'] } })
    const stop = new AbortController()
    const first = hanging.run({ agent: 'lead', id: 'a' }, stop.signal)
    await until(() => hanging.models.requests.length === 1)
    const second = team({ ledger })
    const waiting = second.run({ agent: 'lead', id: 'b' })
    await until(() => second.events.some((event) => event.type === 'notice.added'))
    expect(second.orchestrator.cancel('b')).toBe(true)
    expect(await waiting).toMatchObject({ report: { status: 'cancelled' } })
    expect(second.models.requests).toEqual([])
    stop.abort()
    await first
  })
})

describe('limits.parallel', () => {
  test('lets the next tree run when one ends, and says why it waits', async () => {
    const clock = createFakeClock()
    const { ledger } = openLedger({ limits: { parallel: { home: 1 } } }, clock)
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    const first = team({ ledger, clock, lanes: { lead: [() => isReleased.then(() => say('done'))] } })
    const second = team({ ledger, clock })
    const running = first.run({ agent: 'lead', id: 'a' })
    await until(() => first.models.requests.length === 1)
    const waiting = second.run({ agent: 'lead', id: 'b' })
    await until(() => second.events.length > 0)
    expect(JSON.stringify(second.events)).toContain('limits.parallel.home (1 trees) is reached')
    clock.advance(5_000)
    expect(second.models.requests).toHaveLength(0)
    release()
    expect(await running).toMatchObject({ report: { status: 'completed' } })
    await until(() => {
      clock.advance(2_000)
      return second.models.requests.length === 1
    })
    expect(await waiting).toMatchObject({ report: { status: 'completed' } })
  })

  test('keeps no tree waiting that is cancelled or paused', async () => {
    const clock = createFakeClock()
    const { ledger } = openLedger({ limits: { parallel: { place: 1 } } }, clock)
    const stop = new AbortController()
    const first = team({ ledger, clock, lanes: { lead: ['hang'] } })
    const running = first.run({ agent: 'lead', id: 'a' }, stop.signal)
    await until(() => first.models.requests.length === 1)
    const second = team({ ledger, clock })
    const waiting = second.run({ agent: 'lead', id: 'b' })
    await until(() => second.events.length > 0)
    expect(second.orchestrator.cancel('b')).toBe(true)
    expect(await waiting).toMatchObject({ report: { status: 'cancelled' } })
    const third = second.run({ agent: 'lead', id: 'c' })
    await until(() => second.events.filter(({ session }) => session === 'c').length > 0)
    second.orchestrator.pause({ root: 'c' })
    expect(await third).toMatchObject({ kind: 'waiting' })
    expect(second.models.requests).toEqual([])
    stop.abort()
    await running
  })
})

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}
