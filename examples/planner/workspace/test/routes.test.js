import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../src/routes.js'

test('the time is a time', () => {
  assert.match(routes['/time']().body, /^\d{4}-/)
})
