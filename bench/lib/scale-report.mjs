const round = (value) => String(Math.round(value))

/** Prints the tables of the parts that were measured. */
export function printScale({ cost, spread, watching, log, sleeping }) {
  if (cost) {
    if (cost[100]) printAims(cost[100])
    printCost(cost)
  }
  if (spread) printSpread(spread)
  if (watching) printWatching(watching)
  if (sleeping) printSleeping(sleeping)
  if (log)
    console.log(`\n| log of one tree | |\n|---|---|\n| throughput | ${log.mbPerSecond.toFixed(1)} MB/s |`)
}

function printAims({ files, tree, bare }) {
  const total = (one) => one.worker + one.server
  const line = (what, measured, limit, of) =>
    console.log(
      `| ${what} | ≤ ${limit} × ${of} | ${measured.toFixed(2)} × | ${measured <= limit ? 'met' : 'missed'} |`,
    )
  console.log('| aim | limit | measured | result |\n|---|---|---|---|')
  line('CPU of the worker, N=100', tree.worker / files.worker, 1.2, 'files')
  line('CPU of worker and server, N=100', total(tree) / total(bare), 0.5, 'bare Restate')
}

function printCost(cost) {
  const sizes = Object.keys(cost)
  console.log(
    `\n| CPU per turn in µs: worker + server; wall in ms | ${sizes.map((n) => `N=${n}`).join(' | ')} |\n|---|${'---|'.repeat(sizes.length)}`,
  )
  for (const engine of ['files', 'tree', 'bare'])
    console.log(
      `| ${engine} | ${sizes
        .map((n) => {
          const { worker, server, wall } = cost[n][engine]
          return `${round(worker)} + ${round(server)}; ${round(wall)}`
        })
        .join(' | ')} |`,
    )
}

function printSpread(spread) {
  console.log('\n| 50 trees at once | wall, ms | CPU of the workers, ms | share of each |\n|---|---|---|---|')
  for (const [index, { wall, cpuMs, shares }] of spread.entries())
    console.log(
      `| ${index + 1} workers | ${round(wall)} | ${round(cpuMs)} | ${shares.map((share) => `${round(share * 100)} %`).join(', ')} |`,
    )
}

function printWatching(watching) {
  console.log(
    '\n| trees that a daemon watches | requests a second | changes a second | server, share of a core | from the end of a tree to the daemon, ms |\n|---|---|---|---|---|',
  )
  for (const { trees, requestsPerSecond, changesPerSecond, serverShare, restMs } of watching)
    console.log(
      `| ${trees} | ${requestsPerSecond.toFixed(2)} | ${changesPerSecond.toFixed(2)} | ${serverShare.toFixed(3)} | ${round(restMs.median)} (worst ${round(restMs.worst)}) |`,
    )
}

function printSleeping(sleeping) {
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
  row('until the last message about them is delivered, s', round(5 + sleeping.lagSeconds))
  row('new trees a second until they sleep', round(sleeping.startsPerSecond))
  row('requests a second through the ingress', round(sleeping.requestsPerSecond))
}
