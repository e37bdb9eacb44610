import { expect, it } from 'vitest'
import { createKeyReader, type Key } from './key-reader.ts'

const names = (keys: readonly Key[]) =>
  keys.map((key) => (key.kind === 'key' ? key.name : `${key.kind}:${key.text}`))
const read = (...pieces: string[]) => {
  const reader = createKeyReader()
  return names([...pieces.flatMap((piece) => reader.read(piece)), ...reader.flush()])
}

it('distinguishes text, keys and pasted texts, wherever the chunks end', () => {
  const input = 'ab\x7f\x1b[A\x1bOB\r\x1b[200~one\rtwo\x1b[201~é\x1b[1;5C\x1b\r\x03\x1b[13;2u'
  const expected = [
    'text:ab',
    'backspace',
    'up',
    'down',
    'enter',
    'paste:one\rtwo',
    'text:é',
    'word-right',
    'newline',
    'cancel',
    'newline',
  ]
  expect(read(input)).toEqual(expected)
  for (let at = 3; at < input.length; at++)
    expect(read(input.slice(0, at), input.slice(at))).toEqual(expected)
})

it('treats an escape that nothing follows as a key', () => {
  const reader = createKeyReader()
  expect(reader.read('a\x1b')).toEqual([{ kind: 'text', text: 'a' }])
  expect(reader.isWaiting).toBe(true)
  expect(names(reader.flush())).toEqual(['escape'])
  expect(reader.isWaiting).toBe(false)
  expect(read('\x1b\x1b[A')).toEqual(['escape', 'up'])
})

it('ignores unknown sequences and control characters', () => {
  expect(read('a\x1b[200;5Rb\x00\x1fc\x1b[99~')).toEqual(['text:a', 'text:b', 'text:c'])
})
