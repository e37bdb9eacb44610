// Compares what the gate allows with what bash does: `npm run test:deep`. CADRE_ORACLE_SEED and CADRE_ORACLE_LINES choose
// the lines. First it injects known faults, one at a time, and expects each of them to be found; `--no-faults` skips this,
// and `--faults WORD` does only this, with the faults whose names contain the word.
import { existsSync } from 'node:fs'
import { runOracle } from '../tests/deep/oracle.mjs'
import { ensure } from './ensure.mjs'

const fixedSeed = 20_261_116
const faultLines = 8_000
const { env } = process

if (process.platform !== 'linux' || !['/usr/bin/bwrap', '/bin/bwrap'].some((file) => existsSync(file))) {
  console.log('The oracle needs bubblewrap on Linux: skipped.')
  process.exit(0)
}
// Temporary files are removed on signals too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

await ensure({ build: true })
const [option, word = ''] = process.argv.slice(2)
const missed = option === '--no-faults' ? 0 : await checkFaults(word)
const failures = option === '--faults' ? 0 : await compareLines()
process.exit(missed + failures > 0 ? 1 : 0)

/** Returns the number of faults that the oracle did not find. */
async function checkFaults(part) {
  const { copyWithFault, faults } = await import('../tests/deep/faults.mjs')
  const names = Object.keys(faults).filter((name) => name.includes(part))
  const started = Date.now()
  let missed = 0
  // A failure proves something only if there is none without the fault.
  const others = []
  for (const focus of part !== ''
    ? []
    : ['words', ['sort', 'grep', 'uniq', 'wc', 'sed', 'find', 'cat', 'git']])
    others.push(...(await runOracle({ seed: fixedSeed, lines: 800, focus })).failures)
  if (others.length > 0) {
    for (const failure of others) console.log(show(failure))
    console.log('There are failures without any fault: faults were not injected.')
    return others.length
  }
  for (const name of names) {
    const { gate, focus, remove } = copyWithFault(name)
    try {
      const { figures, failures } = await runOracle({
        seed: fixedSeed,
        lines: faultLines,
        mostFailures: 1,
        gate,
        focus,
        batchSize: 80,
      })
      if (failures.length === 0) missed++
      console.log(`${failures.length === 0 ? 'MISSED' : 'found'} within ${figures.lines} lines: ${name}`)
      if (env.CADRE_ORACLE_SHOW && failures.length > 0) console.log(show(failures[0]))
    } finally {
      remove()
    }
  }
  const seconds = Math.round((Date.now() - started) / 1000)
  console.log(`Faults: ${names.length}, found ${names.length - missed}, ${seconds} s`)
  return missed
}

/** Fixed seeds by default, so that every run gives the same result; `CADRE_ORACLE_SEED=random` tries new lines. */
async function compareLines() {
  const lines = Number(env.CADRE_ORACLE_LINES ?? 20_000)
  const given = env.CADRE_ORACLE_SEED?.split(',')
  const random = () => Math.floor(Math.random() * 2 ** 31)
  const seeds = given?.map((seed) => (seed === 'random' ? random() : Number(seed))) ?? [
    fixedSeed,
    fixedSeed + 1,
  ]
  let count = 0
  for (const seed of seeds) {
    const share = Math.ceil(lines / seeds.length)
    console.log(`Seed ${seed}, ${share} lines…`)
    const { figures, failures } = await runOracle({
      seed,
      lines: share,
      onFailure: (failure) => console.log(show(failure)),
    })
    const { lines: done, allowed, same, loosely, alone, refused, races, stopped, traced, seconds } = figures
    console.log(
      `Seed ${seed}: ${done} lines, ${allowed} allowed (${Math.round((100 * allowed) / done)} %), ${failures.length} failures, ${races} races, ` +
        `${same} equal, ${loosely} equal but for times or error messages, ${alone} by the runner alone, ${refused} stopped by the runner at a link, ` +
        `${stopped} out of time, ${traced} traced, ${seconds} s, ${Math.round(done / Math.max(seconds, 1))} lines/s`,
    )
    count += failures.length
  }
  if (count > 0)
    console.log(
      `${count} failures. Repeat them with CADRE_ORACLE_SEED=${seeds.join(',')} CADRE_ORACLE_LINES=${lines}.`,
    )
  return count
}

function show({ what, line, ...details }) {
  return `FAILURE: ${what}\n  ${JSON.stringify(line)}\n  ${JSON.stringify(details).slice(0, 1_500)}`
}
