import { expect, test } from 'vitest'
import { forecastMatrix } from './forecast-matrix.ts'

const forecast = (session: string, ...other: readonly [string, string[], string[]][]) => ({
  session,
  with: other.map(([name, files, conflicts]) => ({ session: name, files, conflicts })),
})

test('tells conflicts, common files, and pairs that were not compared yet apart', () => {
  const { cell } = forecastMatrix(
    ['a', 'b', 'c'],
    new Map([['a', forecast('a', ['b', ['x', 'y'], ['x']], ['target', ['y'], []])]]),
  )
  expect(cell('a', 'a')).toEqual({ kind: 'self' })
  expect(cell('a', 'b')).toEqual({ kind: 'conflict', files: ['x'] })
  expect(cell('b', 'a')).toEqual({ kind: 'conflict', files: ['x'] })
  expect(cell('a', 'target')).toEqual({ kind: 'mergeable', files: ['y'] })
  expect(cell('a', 'c')).toEqual({ kind: 'apart' })
  expect(cell('b', 'c')).toEqual({ kind: 'unknown' })
  expect(cell('b', 'target')).toEqual({ kind: 'unknown' })
})
