import { expect, test } from 'vitest'
import { queryOf } from './use-found-trees.ts'

test.each([
  ['limits', { text: 'limits' }],
  ['state:waiting limits more', { state: 'waiting', text: 'limits' }],
  ['state:completed', {}],
  ['agent:lea', {}],
  ['', {}],
])('asks the server for %s with %j', (typed, query) => {
  expect(queryOf(typed)).toEqual(query)
})
