import { expect, it } from 'vitest'
import { isSaveKey, type Keys } from './is-save-key.ts'

const keys = (key: string, more: Partial<Keys> = {}): Keys => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...more,
})

it('saves with Ctrl+S and Cmd+S, even with Caps Lock, and with no other keys', () => {
  const all = [
    keys('s', { ctrlKey: true }),
    keys('s', { metaKey: true }),
    keys('S', { ctrlKey: true }),
    keys('s'),
    keys('a', { ctrlKey: true }),
    keys('S', { ctrlKey: true, shiftKey: true }),
    keys('s', { ctrlKey: true, altKey: true }),
  ]
  expect(all.map(isSaveKey)).toEqual([true, true, true, false, false, false, false])
})
