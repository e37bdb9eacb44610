import fs from 'node:fs'
import path from 'node:path'
import { systemClock } from '@cadre/disk'
import { openHome } from '@cadre/home'
import { createFileEngine } from '@cadre/journal'
import { createRestateKeeper } from '@cadre/restate'
import { SessionMirror } from '@cadre/server'
import { median } from './median.mjs'
import { startScaleWorker } from './scale-processes.mjs'
import { requestOf } from './scale-team.mjs'

const workers = 3

/**
 * One machine whose daemon watches trees and writes their files, with the requests that it sends. Each tree has three sessions that take a
 * turn every `secondsPerTurn`.
 */
export async function measureWatching({ server, tmp, trees, secondsPerTurn, turns }) {
  const place = `watch-${trees}`
  const waitMs = secondsPerTurn * 1000
  const config = { engine: 'tree', place, waitMs, effects: path.join(tmp, 'effects.txt') }
  const worker = await startScaleWorker(config, server)
  const keeper = createRestateKeeper({ ingress: server.ingress, place })
  const folder = path.join(tmp, `home-${place}`)
  fs.mkdirSync(folder, { recursive: true })
  const home = openHome({ home: folder, cwd: folder, env: {} })
  const engine = await createFileEngine({ home, clock: systemClock })
  const mirror = new SessionMirror({ home, engine, trees: keeper, place })
  const endedAt = new Map()
  worker.onEnded((root) => endedAt.set(root, performance.now()))
  const ids = Array.from({ length: trees }, (_, n) => `w${n}`)
  const syncing = new Map(ids.map((id) => [id, Promise.resolve()]))
  const sync = (root) =>
    syncing.set(
      root,
      syncing.get(root).then(() => mirror.sync(root)),
    )
  let changes = 0
  const latencies = []
  keeper.onChange((root) => {
    changes += 1
    sync(root)
  })
  const rested = Promise.all(ids.map((id) => new Promise((resolve) => syncing.set(`${id} rests`, resolve))))
  keeper.onRest((root) => {
    latencies.push(performance.now() - endedAt.get(root))
    sync(root)
    syncing.get(`${root} rests`)()
  })
  const requests = countRequests()
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  for (const id of ids) {
    await keeper.start({ ...requestOf({ id, workers, calls: turns, tool: 'wait' }), id })
    await pause(waitMs / trees)
  }
  // Trees archive their record less often after their first minute.
  await pause((turns * waitMs) / 2)
  const before = { requests: requests.count(), changes, server: server.cpuMs(), at: performance.now() }
  await pause((turns * waitMs) / 3)
  const seconds = (performance.now() - before.at) / 1000
  const measured = {
    trees,
    secondsPerTurn,
    requestsPerSecond: (requests.count() - before.requests) / seconds,
    changesPerSecond: (changes - before.changes) / seconds,
    serverShare: (server.cpuMs() - before.server) / seconds / 1000,
  }
  await rested
  await Promise.all(ids.map((id) => syncing.get(id)))
  requests.stop()
  keeper.close()
  await worker.stop()
  return { ...measured, restMs: { median: median(latencies), worst: Math.max(...latencies) } }
}

/** Counts the requests of this process. */
function countRequests() {
  const { fetch } = globalThis
  let count = 0
  globalThis.fetch = (...input) => {
    count += 1
    return fetch(...input)
  }
  return {
    count: () => count,
    stop() {
      globalThis.fetch = fetch
    },
  }
}
