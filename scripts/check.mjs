// All static checks. All steps run, so that one run shows all findings.
import { ensure } from './ensure.mjs'
import { binOf, fromRoot, run, say } from './lib/run.mjs'

// The help texts are checked as the built command prints them.
await ensure({ build: true })

// No colours in log files.
const colors = process.stderr.isTTY ? 'force' : 'off'
const steps = [
  ['Types of the packages', 'typescript', 'tsc', ['-b']],
  ['Types of tests and scripts', 'typescript', 'tsc', ['-p', 'tsconfig.test.json']],
  ['Format and lint', '@biomejs/biome', 'biome', ['ci', '--error-on-warnings', `--colors=${colors}`]],
  ['Promises', 'oxlint', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['Boundaries', 'vitest', 'vitest', ['run', 'tests/boundaries.test.ts']],
]

const failed = []
for (const [title, dependency, command, args] of steps) {
  if (!(await run(title, process.execPath, [binOf(dependency, command), ...args]))) failed.push(title)
}
if (!(await run('Phrases', process.execPath, [fromRoot('scripts/check-phrases.mjs')]))) failed.push('Phrases')
say(failed.length === 0 ? 'All checks passed.' : `Failed: ${failed.join(', ')}.`)
process.exitCode = failed.length === 0 ? 0 : 1
