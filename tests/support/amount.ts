import { test } from 'vitest'

/** Set by `npm run test:deep`, which runs every test file that imports this one again. */
export const isDeep = process.env['CADRE_DEEP'] === '1'

/** The number of cases of a test: enough of them in `npm test`, far more in `npm run test:deep`. */
export function amount({ usual, deep }: { readonly usual: number; readonly deep: number }): number {
  return isDeep ? deep : usual
}

/** Every n-th row of a table in `npm test`, starting with `first`, and all of them in `npm run test:deep`. */
export function share<Row>(rows: readonly Row[], every: number, first = 0): readonly Row[] {
  return isDeep ? rows : rows.filter((_, index) => (index + first) % every === 0)
}

/** Also set by `npm run test:optional` and `test:user`. */
export const isWhole = isDeep || process.env['CADRE_OPTIONAL'] === '1'

/** A `test` that `npm test` skips, because it takes seconds: many processes, much data, or a kill at every step. */
export const inDeep = (isWhole ? test : test.skip) as typeof test

/**
 * A `test` for files in which each test starts several processes. `npm test` runs the first test of a file and every so many-th
 * after it, and reports the others as skipped. `npm run test:deep` runs all of them.
 */
export function sampled(every: number): typeof test {
  let count = 0
  const next = () => (isWhole || count++ % every === 0 ? test : test.skip)
  return new Proxy(test, {
    apply: (_, self, args) => Reflect.apply(next(), self, args),
    get(_, name) {
      const chosen = next()
      const value: unknown = Reflect.get(chosen, name)
      return typeof value === 'function' ? value.bind(chosen) : value
    },
  })
}
