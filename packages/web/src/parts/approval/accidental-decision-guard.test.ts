import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAccidentalDecisionGuard } from './accidental-decision-guard.ts'

function create() {
  let time = 0
  const guard = createAccidentalDecisionGuard(() => time)
  return {
    guard,
    pass: (ms: number) => {
      time += ms
    },
  }
}

test('ignores decisions for 500 ms after an item appears', () => {
  const { guard, pass } = create()
  guard.show('a')
  pass(499)
  expect([guard.approve('a', 'LOW'), guard.reject('a')]).toEqual(['too-soon', 'too-soon'])
  pass(1)
  expect([guard.approve('a', 'LOW'), guard.reject('a')]).toEqual(['go', 'go'])
})

test('restarts the delay when another item takes its place, but not when the same item is rendered again', () => {
  const { guard, pass } = create()
  guard.show('a')
  pass(600)
  guard.show('a')
  expect(guard.approve('a', null)).toBe('go')
  guard.show('b')
  expect(guard.approve('b', null)).toBe('too-soon')
  expect(guard.approve('a', null)).toBe('too-soon')
})

test('ignores decisions on an item outside the window, and waits again when it is back', () => {
  const { guard, pass } = create()
  guard.show('a')
  pass(500)
  guard.approve('a', 'HIGH')
  guard.hide()
  pass(500)
  expect([guard.approve('a', 'LOW'), guard.reject('a'), guard.confirm('a')]).toEqual([
    'too-soon',
    'too-soon',
    'nothing',
  ])
  guard.show('a')
  expect(guard.approve('a', 'LOW')).toBe('too-soon')
  pass(500)
  expect(guard.approve('a', 'LOW')).toBe('go')
})

test('HIGH risk needs a second step, with a different key and after a delay', () => {
  const { guard, pass } = create()
  guard.show('a')
  pass(500)
  expect(guard.confirm('a')).toBe('nothing')
  expect(guard.approve('a', 'HIGH')).toBe('confirm')
  expect(guard.approve('a', 'HIGH')).toBe('confirm')
  expect(guard.confirm('a')).toBe('too-soon')
  pass(500)
  expect(guard.approve('a', 'HIGH')).toBe('confirm')
  expect(guard.confirm('a')).toBe('go')
  expect(guard.confirm('a')).toBe('nothing')
})

test('the first step for one item never counts for another', () => {
  const { guard, pass } = create()
  guard.show('a')
  pass(500)
  guard.approve('a', 'HIGH')
  guard.show('b')
  pass(500)
  expect(guard.confirm('b')).toBe('nothing')
})

test('with any keys, HIGH risk is approved only after two steps and at least one second', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom('approve', 'confirm', 'show'), id: fc.constantFrom('a', 'b') }),
    fc.record({ kind: fc.constant('pass'), ms: fc.nat(400) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { guard, pass } = create()
      let time = 0
      let shownAt = { id: '', at: 0 }
      for (const one of steps) {
        if ('ms' in one) {
          pass(one.ms)
          time += one.ms
        } else if (one.kind === 'show') {
          if (shownAt.id !== one.id) shownAt = { id: one.id, at: time }
          guard.show(one.id)
        } else if (one.kind === 'approve') expect(guard.approve(one.id, 'HIGH')).not.toBe('go')
        else if (guard.confirm(one.id) === 'go') {
          expect(shownAt.id).toBe(one.id)
          expect(time - shownAt.at).toBeGreaterThanOrEqual(1000)
        }
      }
    }),
  )
})
