import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receipt } from '../src/receipt.js'

test('a receipt shows who paid how much, and when', () => {
  const page = receipt({ buyer: 'Ann', total: '3.50', at: new Date('2026-11-16T12:00:00Z') })
  assert.equal(page, '<p>Ann paid 3.50 on 2026-11-16</p>')
})
