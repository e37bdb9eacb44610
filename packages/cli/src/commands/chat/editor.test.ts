import { expect, it } from 'vitest'
import { Editor } from './editor.ts'
import { createKeyReader } from './key-reader.ts'

/** Types what a terminal would send. */
function type(editor: Editor, input: string): Editor {
  for (const key of createKeyReader().read(input)) {
    if (key.kind === 'text') editor.insert(key.text)
    else if (key.kind === 'paste') editor.paste(key.text)
    else editor.press(key.name)
  }
  return editor
}
const typed = (input: string, history?: string[]) => type(new Editor(history), input).text
const pasted = (text: string) => `\x1b[200~${text}\x1b[201~`

it('edits by characters, words and lines', () => {
  expect(typed('helo\x02l')).toBe('hello')
  expect(typed('one two three\x17\x17x')).toBe('one x')
  expect(typed('two\x01one \x05!')).toBe('one two!')
  expect(typed('a👩‍👩‍👧b\x7f\x7fc')).toBe('ac')
  expect(typed('one\ntwo\x15x\x1b[Ay')).toBe('oyne\nx')
  expect(typed('one two\x1b[1;5D\x0b')).toBe('one ')
})

it('goes through the history and comes back to what was being written', () => {
  const history = ['newest', 'older']
  expect(typed('draft\x1b[A\x1b[A\x1b[A', history)).toBe('older')
  expect(typed('draft\x1b[A\x1b[A\x1b[B\x1b[B\x1b[B', history)).toBe('draft')
  expect(typed('\x1b[A!', history)).toBe('newest!')
})

it('moves between the lines of a message before it goes through the history', () => {
  expect(typed('one\ntwo\x1b[A!', ['older'])).toBe('one!\ntwo')
  expect(typed('one\ntwo\x1b[A\x1b[A', ['older'])).toBe('older')
})

it('shows a long pasted text by its size and gives it back whole', () => {
  const long = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n')
  const editor = type(new Editor(), `See ${pasted(long.replaceAll('\n', '\r'))}!`)
  expect(editor.text).toBe('See [pasted 1: 40 lines]!')
  expect(editor.take()).toBe(`See ${long}!`)
  expect(editor.text).toBe('')
})

it('takes nothing that a terminal would act upon', () => {
  expect(typed(pasted('x\x1b]0;owned\x07y\u202ez\t.'))).toBe('xyz\t.')
})

it('wraps at the width, and knows where the cursor is', () => {
  const editor = type(new Editor(), 'abcdef')
  expect(editor.lines(6, 2)).toEqual({ lines: ['abcd', 'ef'], row: 1, column: 2 })
  expect(type(new Editor(), 'abcd').lines(6, 2)).toEqual({ lines: ['abcd', ''], row: 1, column: 0 })
  expect(type(new Editor(), '世界世').lines(6, 2)).toEqual({ lines: ['世界', '世'], row: 1, column: 2 })
  expect(type(new Editor(), 'a\nb\x02\x02').lines(6, 2)).toEqual({ lines: ['a', 'b'], row: 0, column: 3 })
})
