// The command as users run it: agent files, trust, policy, gate, audit, journal and JSON output, in a separate process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { now } from '../lib/clock.mjs'
import { print } from '../lib/measure.mjs'
import { readWorkload } from '../lib/workload.mjs'

const fromHere = (file) => fileURLToPath(new URL(file, import.meta.url))
const { base, tmp, leadPrompt, workerPrompt, turns } = readWorkload()
const write = (file, text) => {
  fs.mkdirSync(path.dirname(path.join(tmp, file)), { recursive: true })
  fs.writeFileSync(path.join(tmp, file), text)
}
write('.github/agents/lead.agent.md', agentFile('lead', 'delegate_task', leadPrompt))
write('.github/agents/worker.agent.md', agentFile('worker', 'probe', workerPrompt))
write(
  '.cadre/config.yaml',
  `tools: [${JSON.stringify(fromHere('probe-tool.mjs'))}]\nlimits: { concurrency: 10000, sessions: 100000, identicalCalls: 0 }\n`,
)
const cost = path.join(tmp, 'cost.json')
// Beside the workspace: checkpoints would scan and copy a file in it that grows all the time.
const output = `${tmp}.jsonl`
const args = [
  'run',
  '--json',
  '--trust',
  '--allow',
  'execute',
  '--model',
  'openai:fake',
  '--agent',
  'lead',
  'go',
]
const env = { ...process.env, HOME: tmp, OPENAI_BASE_URL: base, OPENAI_API_KEY: 'none', BENCH_COST: cost }
const startedAt = now()
const child = spawn(
  process.execPath,
  ['--import', fromHere('../lib/report-cost.mjs'), fromHere('../../packages/cli/bin/cadre.js'), ...args],
  { cwd: tmp, env, stdio: ['ignore', fs.openSync(output, 'w'), 'inherit'] },
)
const [code] = await once(child, 'exit')
const wallMs = now() - startedAt
if (code === 0) {
  const { processCpuMs, processRssMb } = JSON.parse(fs.readFileSync(cost, 'utf8'))
  const cpuPerTurnUs = (processCpuMs * 1000) / turns
  print({ wallMs, cpuMs: processCpuMs, turns, cpuPerTurnUs, processCpuMs, rssMb: processRssMb })
} else {
  const end = fs.readFileSync(output, 'utf8').slice(-500)
  print({ error: `cadre run ended with code ${code}: ${end}` })
}

function agentFile(name, tool, prompt) {
  return `---\nname: ${name}\ndescription: ${name}\ntools: [${tool}]\nmaxTurns: 100000\nisolation: shared\n---\n${prompt}\n`
}
