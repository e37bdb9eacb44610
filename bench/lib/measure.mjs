import { median } from './median.mjs'
import { peakRssMb } from './peak-rss.mjs'
import { readWorkload } from './workload.mjs'

const workload = readWorkload()
const marks = []
let probes = 0

/** The tool that every worker calls. In `history` it also records the cost of the process so far. */
export function probe() {
  probes++
  if (workload.mode === 'history') {
    marks.push({ wall: performance.now(), cpu: cpuMs(process.cpuUsage()) })
  }
  return 'probe ok'
}

/**
 * Runs `work(workload)`, prints its cost as one JSON line and ends the process. Call it once, right after the imports: they
 * are not measured, everything in `work` is. `work` returns the lead's final text, or an object with `text` and further
 * fields for the line.
 */
export async function measure(work) {
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  const outcome = await settle(() => work(workload))
  const wallMs = performance.now() - start
  const cpu = cpuMs(process.cpuUsage(cpuBefore))
  print({
    wallMs,
    cpuMs: cpu,
    turns: workload.turns,
    cpuPerTurnUs: (cpu * 1000) / workload.turns,
    rssMb: peakRssMb(),
    ...(workload.mode === 'history' && { turnsAt: turnsAt([100, 500, 950]) }),
    ...outcome,
  })
}

/** Prints one JSON line and ends the process, even if sockets or timers are still open. */
export function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`, () => process.exit(line.error ? 1 : 0))
}

async function settle(work) {
  try {
    const outcome = await work()
    // A program that skipped calls was not faster, it did something else.
    if (probes !== workload.probes)
      return { error: `made ${probes} tool calls instead of ${workload.probes}` }
    return typeof outcome === 'string' ? { text: outcome } : outcome
  } catch (error) {
    return { error: String(error?.stack ?? error).slice(0, 1000) }
  }
}

/**
 * The cost of a turn around each of `positions`. CPU is the mean over a hundred turns, because a median would omit the
 * garbage collections that long conversations cause; wall time is the median, because a busy machine causes outliers.
 */
function turnsAt(positions) {
  return Object.fromEntries(
    positions
      .map((position) => [position, marks.slice(Math.max(0, position - 50), position + 50)])
      .filter(([, window]) => window.length > 1)
      .map(([position, window]) => [position, costPerTurn(window)]),
  )
}

function costPerTurn(window) {
  const steps = window.slice(1).map((mark, i) => mark.wall - window[i].wall)
  const cpu = window.at(-1).cpu - window[0].cpu
  return { wallMs: median(steps), cpuMs: cpu / steps.length }
}

const cpuMs = ({ user, system }) => (user + system) / 1000
