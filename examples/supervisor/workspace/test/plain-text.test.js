import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainText } from '../src/plain-text.js'

test('letters lose their accents', () => {
  assert.equal(plainText('Été à Zürich'), 'ete a zurich')
})
