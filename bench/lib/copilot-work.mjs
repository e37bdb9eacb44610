import fs from 'node:fs'
import { join } from 'node:path'
import { print } from './measure.mjs'
import { median } from './median.mjs'
import { peakRssMb } from './peak-rss.mjs'
import { costOf, rssMb } from './process-cost.mjs'
import { batchesOf, readWorkload } from './workload.mjs'

export const workload = readWorkload()

/** The package of the language server. */
export const serverPackage = join(
  process.env.BENCH_COPILOT,
  'node_modules',
  '@github',
  'copilot-language-server',
)

/** Signs the language server in to the fake GitHub. */
export const serverEnv = {
  PATH: process.env.PATH,
  HOME: workload.tmp,
  GITHUB_COPILOT_TOKEN: 'ghu_fake',
  GITHUB_COPILOT_API_URL: `${workload.server}/`,
  GITHUB_COPILOT_SERVER_URL: `${workload.server}/`,
  GITHUB_COPILOT_USER: 'fake-user',
  AGENT_DEBUG_OVERRIDE_CAPI_URL: workload.server,
  AGENT_DEBUG_OVERRIDE_PROXY_URL: workload.server,
}

let probes = 0
export function probe() {
  probes++
  return 'probe ok'
}

/**
 * Holds one conversation to warm up, then `n` at once, several times, and prints the cost of a batch: wall time, CPU of
 * this process and CPU of the language server. `converse(name)` resolves to the final text.
 */
export async function measureConversations(converse) {
  try {
    await converse('warm-up')
    const [server, ...more] = childrenOf(process.pid)
    if (server === undefined || more.length > 0) throw new Error(`${1 + more.length} child processes`)
    const costs = []
    for (let batch = 0; batch < batchesOf(workload.n); batch++)
      costs.push(await costOfBatch(converse, server, batch))
    if (probes !== workload.probes) throw new Error(`made ${probes} tool calls instead of ${workload.probes}`)
    const middle = (field) => median(costs.map((cost) => cost[field]))
    print({
      wallMs: middle('wallMs'),
      fastestMs: Math.min(...costs.map(({ wallMs }) => wallMs)),
      ownCpuMs: middle('ownCpuMs'),
      languageServerCpuMs: middle('languageServerCpuMs'),
      treeCpuMs: middle('treeCpuMs'),
      rssMb: peakRssMb(),
      languageServerRssMb: rssMb(server),
    })
  } catch (error) {
    print({ error: String(error?.stack ?? error).slice(0, 1000) })
  }
}

async function costOfBatch(converse, server, batch) {
  const before = { own: process.cpuUsage(), server: costOf(server), at: performance.now() }
  const names = Array.from({ length: workload.n }, (_, i) => `job ${batch}-${i}`)
  const texts = await Promise.all(names.map(converse))
  const wallMs = performance.now() - before.at
  const { user, system } = process.cpuUsage(before.own)
  const wrong = texts.find((text) => text !== 'worker done: every probe answered')
  if (wrong !== undefined) throw new Error(`a conversation ended with: ${wrong}`)
  const ownCpuMs = (user + system) / 1000
  const languageServerCpuMs = costOf(server) - before.server
  return { wallMs, ownCpuMs, languageServerCpuMs, treeCpuMs: ownCpuMs + languageServerCpuMs }
}

function childrenOf(pid) {
  return fs
    .readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => fs.readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
    .filter(Boolean)
    .map(Number)
}
