// From the start of the real command to its first request: the time a person waits.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { now } from '../lib/clock.mjs'
import { readStats } from '../lib/fake-model.mjs'
import { print } from '../lib/measure.mjs'
import { readWorkload } from '../lib/workload.mjs'

const command = fileURLToPath(new URL('../../packages/cli/bin/cadre.js', import.meta.url))
const { server, base, tmp } = readWorkload()
const args = ['run', '--model', 'openai:fake', '--home', path.join(tmp, 'home'), 'Say ok']
const env = { ...process.env, HOME: tmp, OPENAI_BASE_URL: base, OPENAI_API_KEY: 'none' }

const startedAt = now()
const child = spawn(process.execPath, [command, ...args], {
  cwd: tmp,
  env,
  stdio: ['ignore', 'ignore', 'inherit'],
})
const [code] = await once(child, 'exit')
const { firstRequestAt } = await readStats(server)
print(
  code === 0
    ? { firstRequestMs: firstRequestAt - startedAt }
    : { error: `cadre run ended with code ${code}` },
)
