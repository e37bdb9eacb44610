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
