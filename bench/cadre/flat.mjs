import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createScriptedModels } from '@cadre/backends'
import { print } from '../lib/measure.mjs'
import { median } from '../lib/median.mjs'
import { readWorkload } from '../lib/workload.mjs'
import { clock, createTeam, worker } from './team.mjs'

// One session of 5,000 calls on the scripted model: no request body grows with the history, so the cost of a round is
// Cadre's cost.
const rounds = 5_000
const { tmp } = readWorkload()
const models = createScriptedModels(
  { lanes: { worker: [{ repeat: rounds, calls: [{ tool: 'probe', input: { i: 1 } }] }, { reply: 'done' }] } },
  { clock },
)
const marks = []
const { engine, orchestrator } = await createTeam({
  home: tmp,
  models,
  agents: [worker('You call the probe.')],
  onEvent: (event) => event.type === 'round.started' && marks.push(performance.now()),
})
const sessions = join(tmp, 'sessions')
const seen = new Set()
// A rewritten file is another file, or was shorter in between.
let longest = 0
let rewritten = false
const watch = setInterval(() => {
  for (const name of readdirSync(sessions)) {
    const { ino, size } = statSync(join(sessions, name))
    seen.add(ino)
    rewritten ||= size < longest || seen.size > 1
    longest = Math.max(longest, size)
  }
}, 50)
const result = await orchestrator.start(
  { agent: 'worker', work: 'go', workspace: tmp },
  new AbortController().signal,
)
clearInterval(watch)
await engine.close()
const costs = marks.slice(1).map((mark, index) => (mark - marks[index]) * 1000)
const error = result.report.status === 'completed' ? undefined : JSON.stringify(result.report)
print({
  rounds,
  earlyUs: median(costs.slice(100, 200)),
  lateUs: median(costs.slice(4_900, 5_000)),
  rewritten,
  bytes: longest,
  ...(error && { error }),
})
