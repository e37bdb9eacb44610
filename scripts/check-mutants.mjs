// Checks that every mutant and every fault of the oracle still finds its text: a rename must not be noticed only by the
// suites that take an hour. Runs in `npm run check`, after the build.
import { existsSync, readFileSync } from 'node:fs'
import { faults } from '../tests/deep/faults.mjs'
import { fromRoot } from './lib/run.mjs'
import { mutants } from './mutants/index.mjs'

const places = [
  ...mutants.map(({ name, file, find }) => ({ name, file: fromRoot(file), text: find })),
  ...Object.entries(faults).map(([name, { file, from }]) => ({
    name,
    file: fromRoot('packages/gate', file),
    text: from,
  })),
]
const stale = places.filter(({ file, text }) => {
  if (!existsSync(file)) return true
  const source = readFileSync(file, 'utf8')
  return typeof text === 'string' ? !source.includes(text) : !text.test(source)
})
for (const { name, file } of stale)
  console.error(`${file}: the text that "${name}" replaces is not in this file.`)
console.error(`${places.length} mutants and faults, ${stale.length} stale.`)
process.exitCode = stale.length === 0 ? 0 : 1
