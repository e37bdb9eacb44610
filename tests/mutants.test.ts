import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Mutant {
  name: string
  file: string
  find: string | RegExp
  replace: string
  tests: string[]
}

const { mutants } = (await import(new URL('../scripts/mutants/index.mjs', import.meta.url).href)) as {
  mutants: Mutant[]
}

test('every mutant still finds the code it changes and the tests that must fail', () => {
  const stale = mutants.flatMap(({ name, file, find, replace, tests }) => {
    const source = existsSync(file) ? readFileSync(file, 'utf8') : ''
    return [
      ...(source.replace(find, () => replace) === source ? [`${name}: ${file}`] : []),
      ...tests.filter((path) => !existsSync(path)).map((path) => `${name}: ${path}`),
    ]
  })
  expect(stale).toEqual([])
})

test('every fault of the oracle still finds the built code it changes', async () => {
  const { faults } = (await import(new URL('./deep/faults.mjs', import.meta.url).href)) as {
    faults: Record<string, { file: string; from: string }>
  }
  const stale = Object.entries(faults).flatMap(([name, { file, from }]) => {
    const built = `packages/gate/${file}`
    const source = existsSync(built) ? readFileSync(built, 'utf8') : ''
    return source.includes(from) ? [] : [`${name}: ${built}`]
  })
  expect(stale).toEqual([])
})

// In its own process, as the oracle: in this one, the built gate would import packages from their sources.
test('the oracle still finds the parts of the built gate that it calls', () => {
  const script = `
    import { createJudge } from './tests/deep/judge.mjs'
    import { listedOptions } from './tests/deep/listed-options.mjs'
    const gate = process.cwd() + '/packages/gate'
    const { names, gitNames } = await listedOptions(gate)
    const judge = await createJudge(gate, process.cwd())
    const allowed = ['cat README.md', 'rm README.md'].filter((line) => judge(line, false) !== undefined)
    console.log(JSON.stringify({ names, gitNames, allowed }))`
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  expect(JSON.parse(said)).toEqual({
    names: expect.arrayContaining(['sort', 'git']),
    gitNames: expect.arrayContaining(['log', 'add']),
    allowed: ['cat README.md'],
  })
})
