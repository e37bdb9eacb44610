import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copilotFolder } from '../scripts/lib/copilot-packages.mjs'
import { judgeAims } from './lib/aims.mjs'
import { startFakeModel } from './lib/fake-model.mjs'
import { timeHelp } from './lib/help-time.mjs'
import { installPeers } from './lib/install-peers.mjs'
import { runMatrix } from './lib/matrix.mjs'
import { readOptions, usage } from './lib/options.mjs'
import { packageSize } from './lib/package-size.mjs'
import { suites } from './lib/suites.mjs'
import { summarise } from './lib/summary.mjs'
import { renderReport } from './lib/tables.mjs'
import { programs } from './programs.mjs'

const options = readOptions(process.argv.slice(2))
if (options.problem) {
  console.error(`${options.problem}\n\n${usage}`)
  process.exit(2)
}
if (options.help) {
  console.log(usage)
  process.exit(0)
}

// Progress goes to stderr, so that the tables on stdout can be redirected to a file.
const say = (line) => console.error(line)
const loadBefore = os.loadavg()[0]
const tmp = makeTmp()
const fake = await startFakeModel()
try {
  const results = await bench()
  console.log(renderReport(results))
  save(results)
} finally {
  fake.stop()
}

async function bench() {
  if (options.only.includes('copilot')) process.env.BENCH_COPILOT = await copilotFolder()
  const peersMissing = options.peers ? installPeers(say) : 'skipped: the peers, because of --no-peers'
  if (peersMissing) say(peersMissing)
  const cells = options.only.flatMap((name) => suites[name](options))
  const { runs, skipped } = await runMatrix({
    cells,
    programs: programs.filter(({ kind }) => !peersMissing || kind !== 'peer'),
    reps: options.reps,
    fake,
    tmp,
    say,
  })
  const help = options.only.includes('start') ? timeHelp({ samples: options.helpSamples }) : undefined
  const gaps = [peersMissing, ...skipped, help?.skipped].filter(Boolean)
  const rows = summarise(runs)
  return {
    machine: describeMachine(),
    rows,
    help,
    aims: judgeAims({ rows, help, packageMb: packageSize(), ns: options.ns }),
    skipped: gaps,
    runs,
  }
}

/**
 * Folders of runs are kept until the end: on some file systems, creating files right after many deletions is many times
 * slower, and the next program would pay for it.
 */
function makeTmp() {
  const parent = resolve(options.tmp ?? os.tmpdir())
  const tmpfs = 0x01021994
  if (fs.statfsSync(parent).type === tmpfs) {
    say(
      `${parent} is kept in memory, so making a journal durable costs nothing there. Give a folder on a disk with --tmp.`,
    )
  }
  const folder = fs.mkdtempSync(join(parent, 'cadre-bench-'))
  // On ext4, each run gets its own part of the disk, so that files which others deleted do not slow it down.
  spawnSync('chattr', ['+T', folder], { stdio: 'ignore' })
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }))
  process.on('SIGINT', () => process.exit(130))
  return folder
}

function describeMachine() {
  return {
    at: new Date().toISOString(),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cpus: os.availableParallelism(),
    load: { before: loadBefore, after: os.loadavg()[0] },
    reps: options.reps,
  }
}

function save(results) {
  const name = results.machine.at.replaceAll(':', '-')
  const file = fileURLToPath(new URL(`results/${name}.json`, import.meta.url))
  for (const path of [file, options.json && resolve(options.json)].filter(Boolean)) {
    fs.mkdirSync(dirname(path), { recursive: true })
    fs.writeFileSync(path, `${JSON.stringify(results, undefined, 2)}\n`)
    say(`results: ${path}`)
  }
}
