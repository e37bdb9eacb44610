// Checks that the tests can fail: makes one small mistake at a time, runs the related tests, and expects a failure. `node
// scripts/mutants.mjs [word]` runs those whose name or file contains the word. The tables are in `mutants/`.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { mutants } from './mutants/index.mjs'

const word = process.argv[2] ?? ''
const wanted = mutants.filter(({ name, file }) => name.includes(word) || file.includes(word))
/** Whether each set of tests passes without a mutant: otherwise it would catch everything. */
const sound = new Map()
let survived = 0
for (const { name, file, find, replace, tests } of wanted) {
  const before = readFileSync(file, 'utf8')
  const after = before.replace(find, () => replace)
  if (after === before) {
    console.log(`stale     ${name}: ${file} no longer has what this mutant changes`)
    survived += 1
    continue
  }
  const set = tests.join(' ')
  if (!sound.has(set)) sound.set(set, await runTests(tests))
  if (sound.get(set).code !== 0) {
    console.log(`untested  ${name}: without any mistake, ${sound.get(set).by} fails`)
    survived += 1
    continue
  }
  writeFileSync(file, after)
  let result
  try {
    result = await runTests(tests)
  } finally {
    writeFileSync(file, before)
  }
  if (result.code === 0) survived += 1
  console.log(result.code === 0 ? `SURVIVED  ${name}` : `caught    ${name}: ${result.by}`)
}
console.log(`${wanted.length - survived} passed, ${survived} failed`)
process.exitCode = survived === 0 ? 0 : 1

/** Returns how the tests ended, and the first failure. A mutant may loop forever, so its whole process group is killed then. */
function runTests(tests) {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--bail', '1', '--testTimeout', '20000', ...tests]
  const env = { ...process.env, NO_COLOR: '1', CADRE_OPTIONAL: '1' }
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env, detached: true })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const end = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 120_000)
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(end)
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // Nothing is left of it.
      }
      resolve({ code: code ?? 1, by: /^ *FAIL +(.+)$/m.exec(said)?.[1] ?? 'ended without a result' })
    })
  })
}
