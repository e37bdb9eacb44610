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
