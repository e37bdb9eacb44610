// The engine on Restate: `node bench/scale.mjs [--only cost,spread,watch,log,sleep] [--quick] [--reps 7] [--trees 10000] [--json FILE]`. Needs the
// server of `npm run test:scale`, which it installs. `--quick` checks in a minute that everything runs; its numbers mean nothing.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ensure } from '../scripts/ensure.mjs'
import { capacityTable } from './lib/scale-capacity.mjs'
import { printScale } from './lib/scale-report.mjs'
import { startScaleServer } from './lib/scale-server.mjs'
import { measureSleeping } from './lib/scale-sleep.mjs'
import { measureWatching } from './lib/scale-watch.mjs'
import { measureCost, measureLog, measureSpread } from './lib/scale-work.mjs'

const parts = ['cost', 'spread', 'watch', 'log', 'sleep']
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: parts.join(',') },
    quick: { type: 'boolean', default: false },
    reps: { type: 'string' },
    trees: { type: 'string' },
    json: { type: 'string' },
  },
})
const { quick } = values
const only = values.only.split(',')
const unknown = only.find((part) => !parts.includes(part))
if (unknown !== undefined) {
  console.error(`--only: there is no part ${unknown}. Parts: ${parts.join(', ')}.`)
  process.exit(2)
}
const reps = Number(values.reps ?? (quick ? 1 : 7))
const trees = Number(values.trees ?? (quick ? 100 : 10_000))
const sizes = quick ? [10] : [1, 10, 100]

await ensure({ build: true })
const tmp = fs.mkdtempSync(path.join(os.tmpdir(), 'cadre-bench-scale-'))
const say = (line) => console.error(line)
const loadBefore = os.loadavg()[0]
const measured = {}
const measure = {
  async cost() {
    measured.cost = {}
    for (const n of sizes) measured.cost[n] = await measureCost({ server, tmp, n, reps, say })
  },
  async spread() {
    measured.spread = []
    for (const workers of [1, 2, 3]) {
      say(`50 trees on ${workers} workers`)
      measured.spread.push(await measureSpread({ server, tmp, workers, reps: Math.min(reps, 5) }))
    }
  },
  async watch() {
    measured.watching = []
    for (const watched of quick ? [2] : [1, 10, 50]) {
      say(`a daemon that watches ${watched} trees`)
      const work = quick ? { secondsPerTurn: 1, turns: 6 } : { secondsPerTurn: 10, turns: 12 }
      measured.watching.push(await measureWatching({ server, tmp, trees: watched, ...work }))
    }
  },
  async log() {
    say('log')
    measured.log = await measureLog({ server, tmp, reps: Math.min(reps, 3) })
  },
  async sleep() {
    say(`${trees} sleeping trees`)
    measured.sleeping = await measureSleeping({ server, tmp, trees, wakes: quick ? 3 : 20, say })
  },
}
const server = await startScaleServer(path.join(tmp, 'server'))
try {
  for (const part of parts) if (only.includes(part)) await measure[part]()
} finally {
  await server.stop()
  fs.rmSync(tmp, { recursive: true, force: true })
}
console.log(
  `Node.js ${process.versions.node}, ${os.availableParallelism()} cores, load average ${loadBefore.toFixed(1)} before and ${os.loadavg()[0].toFixed(1)} after, ${reps} repetitions\n`,
)
printScale(measured)
const { cost, watching, log, sleeping } = measured
if (cost?.[100] && watching && log && sleeping)
  console.log(`\n${capacityTable({ cost: cost[100].tree, watching: watching[1], log, sleeping })}`)
if (values.json) fs.writeFileSync(values.json, JSON.stringify(measured, null, 2))
