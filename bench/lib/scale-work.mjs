import path from 'node:path'
import { createRestateKeeper } from '@cadre/restate'
import { median } from './median.mjs'
import { startScaleBalancer } from './scale-balancer.mjs'
import { startScaleWorker } from './scale-processes.mjs'
import { requestOf } from './scale-team.mjs'

const engines = ['files', 'tree', 'bare']
const calls = 5
let count = 0
const plansOf = (trees, workers, tool = 'note') =>
  Array.from({ length: trees }, () => ({ id: `b${++count}`, workers, calls, tool }))

/** One tree with `n` workers on each engine, in turns. Returns medians per model turn, in microseconds of CPU. */
export async function measureCost({ server, tmp, n, reps, say }) {
  const processes = {}
  for (const engine of engines)
    processes[engine] = await startScaleWorker(
      {
        engine,
        place: `cost-${engine}-${n}`,
        effects: path.join(tmp, 'effects.txt'),
        home: path.join(tmp, `home-${n}`),
      },
      server,
    )
  const results = Object.fromEntries(engines.map((engine) => [engine, []]))
  for (const engine of engines)
    for (let warm = 0; warm < 3; warm++) await processes[engine].run(plansOf(1, 20))
  for (let rep = 0; rep < reps; rep++) {
    for (const engine of engines) {
      const before = server.cpuMs()
      const { wall, cpuMs } = await processes[engine].run(plansOf(1, n))
      // The server writes and cleans up after it has answered.
      await new Promise((resolve) => setTimeout(resolve, 50))
      results[engine].push({ wall, worker: cpuMs, server: engine === 'files' ? 0 : server.cpuMs() - before })
    }
    say(`N=${n}, repetition ${rep + 1} of ${reps}`)
  }
  for (const process of Object.values(processes)) await process.stop()
  const turns = n * (calls + 1) + 2
  const perTurn = (rows, key) => (median(rows.map((row) => row[key])) * 1000) / turns
  // The kernel counts another process in steps of 10 ms, so a mean is more exact than a median.
  const mean = (rows) => (rows.reduce((sum, row) => sum + row.server, 0) / rows.length / turns) * 1000
  return Object.fromEntries(
    engines.map((engine) => [
      engine,
      {
        worker: perTurn(results[engine], 'worker'),
        server: mean(results[engine]),
        wall: median(results[engine].map(({ wall }) => wall)),
      },
    ]),
  )
}

/** 50 trees of a lead and two workers at once, on one to three workers of one place. */
export async function measureSpread({ server, tmp, workers, reps, trees = 50 }) {
  const place = `spread-${workers}`
  const config = { engine: 'tree', place, effects: path.join(tmp, 'effects.txt') }
  const processes = []
  for (let n = 0; n < workers; n++) processes.push(await startScaleWorker(config, server, 'balancer'))
  const balancer = await startScaleBalancer(processes.map(({ url }) => url))
  await server.register(balancer.url)
  const keeper = createRestateKeeper({ ingress: server.ingress, place })
  const ended = new Map()
  const seen = processes.map(() => 0)
  for (const [index, process] of processes.entries())
    process.onEnded((root) => {
      seen[index] += 1
      ended.get(root)?.()
    })
  const walls = []
  let cpuMs = 0
  for (let rep = -1; rep < reps; rep++) {
    const cpu = async () =>
      (await Promise.all(processes.map((process) => process.usage()))).reduce(
        (sum, one) => sum + one.cpuMs,
        0,
      )
    const before = await cpu()
    const began = performance.now()
    await Promise.all(
      plansOf(trees, 2).map(async (plan) => {
        const end = new Promise((resolve) => ended.set(plan.id, resolve))
        await keeper.start({ ...requestOf(plan), id: plan.id })
        await end
      }),
    )
    // The first one is a warm-up.
    if (rep < 0) continue
    walls.push(performance.now() - began)
    cpuMs += (await cpu()) - before
  }
  keeper.close()
  balancer.close()
  for (const process of processes) await process.stop()
  return { wall: median(walls), cpuMs: cpuMs / reps, shares: seen.map((one) => one / (trees * (reps + 1))) }
}

/** A tree that records much, for the throughput of the log. */
export async function measureLog({ server, tmp, reps }) {
  const config = { engine: 'tree', place: 'log', effects: path.join(tmp, 'effects.txt') }
  const process = await startScaleWorker(config, server)
  const workers = 20
  await process.run(plansOf(1, workers, 'produce'))
  const rates = []
  for (let rep = 0; rep < reps; rep++) {
    const { wall } = await process.run(plansOf(1, workers, 'produce'))
    rates.push((workers * calls * 10_000) / 1e6 / (wall / 1000))
  }
  await process.stop()
  return { mbPerSecond: median(rates) }
}
