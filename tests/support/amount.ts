/** `npm run test:deep` sets it. It runs every test file that imports this one once more. */
export const isDeep = process.env['CADRE_DEEP'] === '1'

/** How many cases a test looks at: enough of them in `npm test`, far more in `npm run test:deep`. */
export function amount({ usual, deep }: { readonly usual: number; readonly deep: number }): number {
  return isDeep ? deep : usual
}

/** Every so many-th of the rows of a table in `npm test`, beginning with `first`, and all of them in `npm run test:deep`. */
export function share<Row>(rows: readonly Row[], every: number, first = 0): readonly Row[] {
  return isDeep ? rows : rows.filter((_, index) => (index + first) % every === 0)
}
