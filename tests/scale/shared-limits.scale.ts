import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayOf } from '@cadre/core'
import { openHome } from '@cadre/home'
import { createRestateKeeper, registerWorker, type TreeResult } from '@cadre/restate'
import { openLedgerStore } from '@cadre/runtime'
import { freePort } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import type { BudgetWorkerConfig } from './budget/budget-worker.ts'
import { admin, ingress, newPlace, until } from './support/scale-worker.ts'

/** A place with one worker, which can be killed and comes back with the same address. */
async function openPlace(config: Omit<BudgetWorkerConfig, 'port' | 'ingress'>) {
  const port = await freePort()
  let child: ChildProcess | undefined
  const start = async () => {
    const program = process.env['CADRE_SCALE_BUDGET_WORKER'] as string
    child = fork(program, [JSON.stringify({ ...config, port, ingress: ingress() })], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    await new Promise((resolve) => child?.once('message', resolve))
  }
  await start()
  await registerWorker({ admin: admin(), url: `http://127.0.0.1:${port}`, place: config.place })
  const keeper = createRestateKeeper({ ingress: ingress(), place: config.place, pollInterval: 20 })
  onTestFinished(() => {
    keeper.close()
    child?.kill('SIGKILL')
  })
  return {
    keeper,
    async killAndRestart() {
      const ended = new Promise((resolve) => child?.once('exit', resolve))
      child?.kill('SIGKILL')
      await ended
      await start()
    },
  }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-bills-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const linesOf = (file: string) =>
  (existsSync(file) ? readFileSync(file, 'utf8') : '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { session: string; at: number; input: number; output: number })

test('trees of two places never exceed the budget of a day while their workers are killed', async () => {
  const tokens = 30_000
  const trees = 20
  const bills = join(newFolder(), 'bills.jsonl')
  const [a, b] = [newPlace(), newPlace()]
  const shared = { ledger: a, bills, rounds: 6, limits: { budgets: { day: { tokens } } } }
  const places = await Promise.all([openPlace({ ...shared, place: a }), openPlace({ ...shared, place: b })])
  const day = dayOf(Date.now())
  const results = new Map<string, TreeResult>()
  for (const { keeper } of places) keeper.onRest((root, result) => results.set(root, result))
  for (let tree = 0; tree < trees; tree++)
    await places[tree % 2]?.keeper.start({
      ...{ id: `tree-${tree}`, agent: 'lead', work: 'do it', workspace: '/work' },
    })
  for (let kill = 0; kill < 6 && results.size < trees; kill++) {
    const before = linesOf(bills).length
    await until(() => linesOf(bills).length > before + 3 || results.size === trees)
    await places[kill % 2]?.killAndRestart()
  }
  await until(() => results.size === trees)

  const billed = linesOf(bills).reduce((sum, { input, output }) => sum + input + output, 0)
  const home = openHome({ home: '/nowhere', cwd: '/', env: {} })
  const store = openLedgerStore(home, { kind: 'restate', ingress: ingress(), place: b, ledger: a })
  const { spent, open } = await store.readDay(day)
  // A test that starts before midnight and ends after it has two budgets.
  if (dayOf(Date.now()) === day) expect(billed).toBeLessThanOrEqual(tokens)
  expect(open).toEqual([])
  expect(spent['day']?.tokens).toBeLessThanOrEqual(tokens)
  expect(billed).toBeGreaterThan(tokens / 2)
  const reports = [...results.values()].flatMap((result) => (result.kind === 'report' ? [result.report] : []))
  expect(reports).toHaveLength(trees)
  const refused = reports.filter(({ status }) => status === 'incomplete')
  expect(refused.length).toBeGreaterThan(0)
  for (const { notices } of refused)
    expect(notices?.at(-1)?.message).toMatch(/budgets\.day \(30000 tokens a day\).*Raise it in config\.yaml/)
})

test('limits.parallel limits the trees of two places, and a worker that was killed keeps no slot', async () => {
  const trees = 8
  const bills = join(newFolder(), 'bills.jsonl')
  const [a, b] = [newPlace(), newPlace()]
  const shared = { ledger: a, bills, rounds: 3, limits: { limits: { parallel: { home: 2 } } } }
  const places = await Promise.all([openPlace({ ...shared, place: a }), openPlace({ ...shared, place: b })])
  const done = new Set<string>()
  for (const { keeper } of places)
    keeper.onRest((root, result) => {
      if (result.kind === 'report') done.add(root)
    })
  for (let tree = 0; tree < trees; tree++)
    await places[tree % 2]?.keeper.start({
      ...{ id: `tree-${tree}`, agent: 'lead', work: 'do it', workspace: '/work' },
    })
  await until(() => linesOf(bills).length > 0)
  await places[1]?.killAndRestart()
  await until(() => done.size === trees)
  const lines = linesOf(bills)
  const times = [...done].map((root) => {
    const own = lines.filter(({ session }) => session === root).map(({ at }) => at)
    return { from: Math.min(...own), to: Math.max(...own) }
  })
  for (const { from } of times)
    expect(times.filter((other) => other.from <= from && from <= other.to).length).toBeLessThanOrEqual(2)
  const home = openHome({ home: '/nowhere', cwd: '/', env: {} })
  const store = openLedgerStore(home, { kind: 'restate', ingress: ingress(), place: a })
  await until(async () => (await store.readSlots()).held.length === 0)
})
