// All generated cases, and then the comparison with bash. With arguments, only those tests: `npm run test:deep -- FILE`.
import { spawnSync } from 'node:child_process'
import { fromRoot } from './lib/run.mjs'

const args = process.argv.slice(2)
const steps = [
  ['test.mjs', '--config', 'vitest.deep.config.ts', ...args],
  ...(args.length === 0 ? [['oracle.mjs']] : []),
]
for (const [script, ...rest] of steps) {
  const { status } = spawnSync(process.execPath, [fromRoot('scripts', script), ...rest], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
