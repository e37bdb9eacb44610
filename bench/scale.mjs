// The engine on Restate: `node bench/scale.mjs [--reps 7] [--trees 10000] [--json FILE]`. Needs the server of `npm run test:scale`, which it installs.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ensure } from '../scripts/ensure.mjs'
import { capacityTable } from './lib/scale-capacity.mjs'
import { startScaleServer } from './lib/scale-server.mjs'
import { measureSleeping } from './lib/scale-sleep.mjs'
import { measureCost, measureLog, measureSpread } from './lib/scale-work.mjs'

await ensure({ build: true })
const { values } = parseArgs({
  options: {
    reps: { type: 'string', default: '7' },
    trees: { type: 'string', default: '10000' },
    json: { type: 'string' },
  },
})
const reps = Number(values.reps)
const trees = Number(values.trees)
const tmp = fs.mkdtempSync(path.join(os.tmpdir(), 'cadre-bench-scale-'))
const say = (line) => console.error(line)
const loadBefore = os.loadavg()[0]
const server = await startScaleServer(path.join(tmp, 'server'))
try {
  const cost = {}
  for (const n of [1, 10, 100]) cost[n] = await measureCost({ server, tmp, n, reps, say })
  const spread = []
  for (const workers of [1, 2, 3]) {
    say(`50 trees on ${workers} workers`)
    spread.push(await measureSpread({ server, tmp, workers, reps: Math.min(reps, 5) }))
  }
  say('log')
  const log = await measureLog({ server, tmp, reps: 3 })
  say('sleeping trees')
  const sleeping = await measureSleeping({ server, tmp, trees, wakes: 20, say })
  print({ cost, spread, log, sleeping })
  if (values.json) fs.writeFileSync(values.json, JSON.stringify({ cost, spread, log, sleeping }, null, 2))
} finally {
  await server.stop()
  fs.rmSync(tmp, { recursive: true, force: true })
}

function print({ cost, spread, log, sleeping }) {
  const round = (value) => String(Math.round(value))
  console.log(
    `Node.js ${process.versions.node}, ${os.availableParallelism()} cores, load average ${loadBefore.toFixed(1)} before and ${os.loadavg()[0].toFixed(1)} after, ${reps} repetitions\n`,
  )
  console.log('| aim | limit | measured | result |\n|---|---|---|---|')
  const { files, tree, bare } = cost[100]
  const line = (what, aim, measured, limit) =>
    console.log(
      `| ${what} | ≤ ${limit} × ${aim} | ${measured.toFixed(2)} × | ${measured <= limit ? 'met' : 'missed'} |`,
    )
  line('CPU of the worker, N=100', 'files', tree.worker / files.worker, 1.2)
  const total = (one) => one.worker + one.server
  line('CPU of worker and server, N=100', 'bare Restate', total(tree) / total(bare), 0.5)
  console.log('\n| CPU per turn in µs: worker + server; wall in ms | N=1 | N=10 | N=100 |\n|---|---|---|---|')
  for (const engine of ['files', 'tree', 'bare'])
    console.log(
      `| ${engine} | ${[1, 10, 100]
        .map((n) => {
          const { worker, server: other, wall } = cost[n][engine]
          return `${round(worker)} + ${round(other)}; ${round(wall)}`
        })
        .join(' | ')} |`,
    )
  console.log('\n| 50 trees at once | wall, ms | CPU of the workers, ms | share of each |\n|---|---|---|---|')
  for (const [index, { wall, cpuMs, shares }] of spread.entries())
    console.log(
      `| ${index + 1} workers | ${round(wall)} | ${round(cpuMs)} | ${shares.map((share) => `${round(share * 100)} %`).join(', ')} |`,
    )
  const { workerMb, workerHeapMb, serverMb, idle, wakeMs } = sleeping
  console.log(`\n| ${sleeping.trees} sleeping trees | |\n|---|---|`)
  const row = (what, value) => console.log(`| ${what} | ${value} |`)
  row('memory of the worker, MB, before and after', workerMb.map(round).join(' → '))
  row('heap of the worker, MB', workerHeapMb.map(round).join(' → '))
  row('memory of the server, MB', serverMb.map(round).join(' → '))
  row('on disk, per tree', `${(sleeping.diskBytesPerTree / 1000).toFixed(1)} KB`)
  row(
    'share of a core while they sleep: worker, server',
    `${idle.worker.toFixed(3)}, ${idle.server.toFixed(3)}`,
  )
  row('from an answer to the end of its tree, ms', `${round(wakeMs.median)} (worst ${round(wakeMs.worst)})`)
  row('new trees a second until they sleep', round(sleeping.startsPerSecond))
  row('requests a second through the ingress', round(sleeping.requestsPerSecond))
  row('log of one tree', `${log.mbPerSecond.toFixed(1)} MB/s`)
  console.log(`\n${capacityTable({ cost: cost[100].tree, log, sleeping })}`)
}
