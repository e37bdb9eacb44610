import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKeyReader } from './keys.ts'

const press = (...keys: readonly string[]) => {
  const read = createKeyReader()
  return keys.map((key) => read({ key }))
}

test.each([
  ['j', 'down'],
  ['ArrowUp', 'up'],
  ['h', 'close'],
  ['l', 'open'],
  ['a', 'approve'],
  ['A', 'approveSession'],
  ['r', 'reject'],
  [']', 'nextWaiting'],
  ['?', 'help'],
  ['constructor', undefined],
])('the key %s means %s', (key, command) => {
  expect(press(key)).toEqual([command])
})

test('g waits for the next key, which then has a different meaning', () => {
  expect(press('g', 'r')).toEqual([undefined, 'goRuns'])
  expect(press('g', 'a', 'a')).toEqual([undefined, 'goAgents', 'approve'])
  expect(press('g', 'y', 'a')).toEqual([undefined, undefined, 'approve'])
})

test('typing into a field never decides an approval', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (keys) => {
      const read = createKeyReader()
      for (const key of keys) expect(read({ key, inText: true })).toBe(key === 'Escape' ? 'back' : undefined)
    }),
  )
})

test('a combination with Ctrl, Meta or Alt is the browser’s, except the palette', () => {
  const read = createKeyReader()
  for (const modifier of ['ctrl', 'meta', 'alt']) expect(read({ key: 'a', [modifier]: true })).toBeUndefined()
  expect(read({ key: 'k', ctrl: true })).toBe('palette')
  expect(read({ key: 'K', meta: true, inText: true })).toBe('palette')
  expect(read({ key: 'k', ctrl: true, alt: true })).toBeUndefined()
})

test('Enter on a button is the button’s', () => {
  const read = createKeyReader()
  expect(read({ key: 'Enter', onControl: true })).toBeUndefined()
  expect(read({ key: 'j', onControl: true })).toBe('down')
})
