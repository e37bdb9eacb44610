import fs from 'node:fs'
import { createAgents } from '@cadre/agents'
import { agentText, writeAgentFiles } from '../lib/agent-files.mjs'
import { print } from '../lib/measure.mjs'
import { median } from '../lib/median.mjs'
import { readWorkload } from '../lib/workload.mjs'

// The registry for a repository of `n` agent files: first read, repeated request, request after one change.
const { tmp, n } = readWorkload()
const files = writeAgentFiles(tmp, n)
const turn = () => new Promise((resolve) => setImmediate(resolve))
const time = (act) => {
  const start = performance.now()
  const value = act()
  return { ms: performance.now() - start, value }
}
const registry = createAgents({ project: tmp })
const cold = time(() => registry.list())
const changed = files[Math.floor(n / 2)]
const warm = []
const reload = []
let seen = 0
for (let i = 0; i < 15; i++) {
  await turn()
  warm.push(time(() => registry.list()).ms)
  fs.writeFileSync(changed, agentText(Math.floor(n / 2), `Changed ${i}`))
  await turn()
  const after = time(() => registry.list())
  reload.push(after.ms)
  if (after.value.some(({ description }) => description.startsWith(`Changed ${i}`))) seen++
}
const problem =
  cold.value.length !== n
    ? `read ${cold.value.length} agents instead of ${n}`
    : seen !== 15
      ? `saw ${seen} of 15 changes`
      : undefined
print(
  problem
    ? { error: problem }
    : {
        coldMs: cold.ms,
        coldPerFileUs: (cold.ms * 1000) / n,
        warmMs: median(warm),
        reloadMs: median(reload),
      },
)
