import { expect, test } from 'vitest'
import { createTypeAhead } from './type-ahead.ts'

function typed(keys: readonly string[], isInField: boolean) {
  const ahead = createTypeAhead()
  for (const key of keys) ahead.press(key)
  return ahead.take(isInField)
}

test('keeps the text for a field that the view has focused', () => {
  expect(typed([...'a/b'], true)).toEqual({ text: 'a/b', isSubmitted: false })
  expect(typed([...'caf', 'x', 'Backspace', 'é', 'Enter', 'y'], true)).toEqual({
    text: 'café',
    isSubmitted: true,
  })
})

test('without a focused field, keeps only the text after the key that focuses one', () => {
  expect(typed([...'aj'], false)).toBeUndefined()
  expect(typed(['/'], false)).toEqual({ text: '', isSubmitted: false })
  expect(typed([...'j/state:waiting'], false)).toEqual({ text: 'state:waiting', isSubmitted: false })
})

test('forgets the text after Escape, and after it was taken', () => {
  expect(typed([...'abc', 'Escape'], true)).toBeUndefined()
  expect(typed(['Enter'], true)).toBeUndefined()
  const ahead = createTypeAhead()
  ahead.press('a')
  expect(ahead.take(true)?.text).toBe('a')
  expect(ahead.take(true)).toBeUndefined()
})

test('leaves Enter and Space to a focused control until something was typed', () => {
  const ahead = createTypeAhead()
  expect([ahead.press('Enter', true), ahead.press(' ', true)]).toEqual([false, false])
  for (const key of 'a b') expect(ahead.press(key, true)).toBe(true)
  expect(ahead.take(true)?.text).toBe('a b')
})

test('ignores keys that are not text', () => {
  const ahead = createTypeAhead()
  expect(['Tab', 'Shift', 'F5', 'ArrowDown', 'Dead'].map((key) => ahead.press(key))).not.toContain(true)
  expect(ahead.take(true)).toBeUndefined()
})
