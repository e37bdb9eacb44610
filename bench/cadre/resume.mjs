import { createScriptedModels } from '@cadre/backends'
import { print } from '../lib/measure.mjs'
import { readWorkload } from '../lib/workload.mjs'
import { clock, createTeam, worker } from './team.mjs'

// The time from having the engine to the next request of a session with `k` entries.
const { tmp, k } = readWorkload()
// A round of this session is three entries: the reply, the start of its call, and the result.
const rounds = Math.ceil(k / 3)
const stop = new AbortController()
const asked = []
const models = createScriptedModels(
  { lanes: { worker: [{ repeat: rounds, calls: [{ tool: 'probe', input: { i: 1 } }] }, { hang: true }] } },
  { clock, onRequest: (request) => asked.push({ round: request.round, at: performance.now() }) },
)
const agents = [worker('You call the probe.')]
const first = await createTeam({ home: tmp, models, agents })
const run = first.orchestrator.start({ agent: 'worker', work: 'go', workspace: tmp }, stop.signal)
while (asked.at(-1)?.round !== rounds + 1) await new Promise((resolve) => setImmediate(resolve))
stop.abort()
const { report } = await run
await first.engine.close()

const again = new AbortController()
const second = await createTeam({ home: tmp, models, agents })
const questions = asked.length
const start = performance.now()
const resumed = second.orchestrator.resume(report.session, {}, again.signal)
while (asked.length === questions) await new Promise((resolve) => setImmediate(resolve))
const resumeMs = asked.at(-1).at - start
again.abort()
await resumed
// Counted only now: reading it earlier would have warmed up what is measured.
const stored = await second.engine.read(report.session)
await second.engine.close()
print({ entries: stored.entries.length, resumeMs })
