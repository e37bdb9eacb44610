// The activation time of the extension in a real VS Code, compared with one that does nothing: `node bench/vscode.mjs
// [repetitions]`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ensure } from '../scripts/ensure.mjs'
import { binOf, fromRoot } from '../scripts/lib/run.mjs'
import { vsceOf, vscodeFolder } from '../scripts/lib/vscode-packages.mjs'

await ensure({ build: true })
const folder = await vscodeFolder()
const out = mkdtempSync(path.join(os.tmpdir(), 'cadre-bench-'))
const env = {
  ...process.env,
  CADRE_TEST_VSCODE: folder,
  CADRE_VSCE: vsceOf(folder),
  BENCH_OUT: path.join(out, 'times.json'),
  BENCH_REPS: process.argv[2] ?? '5',
}
const run = (...args) => {
  const { status } = spawnSync(process.execPath, args, { env, cwd: fromRoot(), stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(1)
}
run(fromRoot('scripts', 'package-extension.mjs'))
run(binOf('vitest'), 'run', '--config', 'bench/vscode/vitest.config.ts')
const times = JSON.parse(readFileSync(env.BENCH_OUT, 'utf8'))
rmSync(out, { recursive: true })
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
const [ours, empty] = [median(times.map((one) => one.ours)), median(times.map((one) => one.empty))]
const size = statSync(fromRoot('packages', 'vscode', 'dist', 'copilot-multi-agent.vsix')).size
console.log(`load average ${os.loadavg()[0].toFixed(1)}, ${times.length} starts of VS Code
activation: ${ours.toFixed(1)} ms, of an empty extension ${empty.toFixed(1)} ms; aim: under 100 ms more ${ours - empty < 100 ? '(met)' : '(missed)'}
.vsix: ${Math.round(size / 1024)} KB; aim: under 2 MB ${size < 2 * 1024 ** 2 ? '(met)' : '(missed)'}`)
