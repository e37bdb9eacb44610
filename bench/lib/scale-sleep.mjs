import path from 'node:path'
import { createRestateKeeper } from '@cadre/restate'
import { median } from './median.mjs'
import { startScaleWorker } from './scale-processes.mjs'
import { requestOf } from './scale-team.mjs'

/** Many trees that wait for a person: what they cost while nothing happens, and how long it takes to wake one. */
export async function measureSleeping({ server, tmp, trees, wakes, say }) {
  const place = 'sleep'
  const config = { engine: 'tree', place, effects: path.join(tmp, 'effects.txt') }
  const worker = await startScaleWorker(config, server)
  const keeper = createRestateKeeper({ ingress: server.ingress, place })
  const ended = new Map()
  worker.onEnded((root) => ended.get(root)?.())
  const next = (id) =>
    new Promise((resolve) => {
      ended.set(id, resolve)
    })
  const start = async (id) => {
    const end = next(id)
    await keeper.start({ ...requestOf({ id, asks: true }), id })
    await end
    ended.delete(id)
  }
  await inParallel(
    50,
    Array.from({ length: 200 }, (_, n) => `warm${n}`),
    start,
  )
  const before = { worker: await worker.usage(), serverMb: server.rssMb(), dataMb: server.dataMb() }
  const began = performance.now()
  const ids = Array.from({ length: trees }, (_, n) => `s${n}`)
  let done = 0
  await inParallel(50, ids, async (id) => {
    await start(id)
    if (++done % 1000 === 0) say(`${done} trees sleep`)
  })
  const startSeconds = (performance.now() - began) / 1000
  const lagSeconds = await untilDelivered(server)
  // Until memory that is no longer needed is given back, and the server has written what it holds.
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  const after = { worker: await worker.usage(), serverMb: server.rssMb(), dataMb: server.dataMb() }
  const cpu = { server: server.cpuMs(), worker: (await worker.usage()).cpuMs }
  const idleSeconds = 10
  await new Promise((resolve) => setTimeout(resolve, idleSeconds * 1000))
  const idle = {
    server: (server.cpuMs() - cpu.server) / idleSeconds / 1000,
    worker: ((await worker.usage()).cpuMs - cpu.worker) / idleSeconds / 1000,
  }
  const times = []
  for (let n = 0; n < wakes; n++) {
    const id = ids[Math.floor((n * trees) / wakes)]
    const { result } = await keeper.state(id)
    const woken = performance.now()
    const end = next(id)
    await keeper.answer(result.questions[0], { decision: 'approve', by: 'bench' })
    await end
    times.push(performance.now() - woken)
    const { result: last } = await settled(keeper, id)
    if (last.report?.status !== 'completed') throw new Error(`${id}: ${JSON.stringify(last)}`)
  }
  const requests = await measureIngress(keeper, ids)
  keeper.close()
  await worker.stop()
  times.sort((a, b) => a - b)
  return {
    trees,
    startsPerSecond: trees / startSeconds,
    workerMb: [before.worker.rssMb, after.worker.rssMb],
    workerHeapMb: [before.worker.heapMb, after.worker.heapMb],
    serverMb: [before.serverMb, after.serverMb],
    diskBytesPerTree: ((after.dataMb - before.dataMb) * 1e6) / trees,
    idle,
    wakeMs: { median: median(times), worst: times.at(-1) },
    requestsPerSecond: requests,
    lagSeconds,
  }
}

/** The directory of a place receives one message after another, so it is behind when many trees rest at once. Returns for how long. */
async function untilDelivered(server) {
  const began = performance.now()
  while ((await server.openInvocations()) > 0) await new Promise((resolve) => setTimeout(resolve, 1_000))
  return (performance.now() - began) / 1000
}

async function settled(keeper, id) {
  for (;;) {
    const state = await keeper.state(id)
    if (state.kind === 'rested' && state.result.kind === 'report') return state
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Reads of the head of an archive through the ingress: each is one request, an invocation of a shared handler on the worker. */
async function measureIngress(keeper, ids) {
  const until = performance.now() + 5_000
  let count = 0
  await Promise.all(
    Array.from({ length: 50 }, async (_, lane) => {
      for (let n = lane; performance.now() < until; n += 50) {
        await keeper.sessions(ids[n % ids.length])
        count += 1
      }
    }),
  )
  return count / 5
}

async function inParallel(lanes, items, work) {
  const queue = [...items]
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
    }),
  )
}
