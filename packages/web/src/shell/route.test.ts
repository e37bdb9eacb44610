import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hrefOf, readRoute, viewNames } from './route.ts'

test('reads back every address that it writes, with any id and query', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((id) => !/^\.+$/.test(id))
  fc.assert(
    fc.property(fc.constantFrom(...viewNames), text, text, (view, id, value) => {
      const route = readRoute(hrefOf(view, id, { text: value }))
      expect(route).toEqual(
        view === 'runs' ? { view, query: { text: value } } : { view, id, query: { text: value } },
      )
    }),
  )
})

test.each(['/', '/?x', '/runs'])('shows the first view for %s', (path) => {
  expect(readRoute(path)).toMatchObject({ view: 'runs' })
  expect(readRoute(path).missing).toBeUndefined()
})

test.each([
  ['/nowhere', '/nowhere'],
  ['/nowhere/else?x', '/nowhere/else'],
  ['/no%20where', '/no where'],
  ['/%E0%A4%A', '/%E0%A4%A'],
])('finds no page at %s', (path, missing) => {
  expect(readRoute(path).missing).toBe(missing)
})

test('keeps the view if its id cannot be decoded', () => {
  expect(readRoute('/sessions/%E0%A4%A')).toMatchObject({ view: 'sessions', id: '%E0%A4%A' })
})
