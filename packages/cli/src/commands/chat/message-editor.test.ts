import { expect, it } from 'vitest'
import { createKeyReader } from './key-reader.ts'
import { MessageEditor } from './message-editor.ts'

/** Types terminal input. */
function type(editor: MessageEditor, input: string): MessageEditor {
  for (const key of createKeyReader().read(input)) {
    if (key.kind === 'text') editor.insert(key.text)
    else if (key.kind === 'paste') editor.paste(key.text)
    else editor.press(key.name)
  }
  return editor
}
const typed = (input: string, history?: string[]) => type(new MessageEditor(history), input).text
const pasted = (text: string) => `\x1b[200~${text}\x1b[201~`

it('edits by characters, words and lines', () => {
  expect(typed('helo\x02l')).toBe('hello')
  expect(typed('one two three\x17\x17x')).toBe('one x')
  expect(typed('two\x01one \x05!')).toBe('one two!')
  expect(typed('a👩‍👩‍👧b\x7f\x7fc')).toBe('ac')
  expect(typed('one\ntwo\x15x\x1b[Ay')).toBe('oyne\nx')
  expect(typed('one two\x1b[1;5D\x0b')).toBe('one ')
})

it('moves through the history and back to the unsent text', () => {
  const history = ['newest', 'older']
  expect(typed('draft\x1b[A\x1b[A\x1b[A', history)).toBe('older')
  expect(typed('draft\x1b[A\x1b[A\x1b[B\x1b[B\x1b[B', history)).toBe('draft')
  expect(typed('\x1b[A!', history)).toBe('newest!')
})

it('moves between the lines of a message before it moves through the history', () => {
  expect(typed('one\ntwo\x1b[A!', ['older'])).toBe('one!\ntwo')
  expect(typed('one\ntwo\x1b[A\x1b[A', ['older'])).toBe('older')
})

it('shows a long pasted text by its size and returns it whole', () => {
  const long = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n')
  const editor = type(new MessageEditor(), `See ${pasted(long.replaceAll('\n', '\r'))}!`)
  expect(editor.text).toBe('See [pasted 1: 40 lines]!')
  expect(editor.take()).toEqual({ text: `See ${long}!`, mentions: [] })
  expect(editor.text).toBe('')
})

it('accepts no terminal control characters', () => {
  expect(typed(pasted('x\x1b]0;owned\x07y\u202ez\t.'))).toBe('xyz\t.')
})

it('wraps at the width, and tracks the cursor', () => {
  const editor = type(new MessageEditor(), 'abcdef')
  expect(editor.lines(6, 2)).toEqual({ lines: ['abcd', 'ef'], row: 1, column: 2 })
  expect(type(new MessageEditor(), 'abcd').lines(6, 2)).toEqual({ lines: ['abcd', ''], row: 1, column: 0 })
  expect(type(new MessageEditor(), '世界世').lines(6, 2)).toEqual({
    lines: ['世界', '世'],
    row: 1,
    column: 2,
  })
  expect(type(new MessageEditor(), 'a\nb\x02\x02').lines(6, 2)).toEqual({
    lines: ['a', 'b'],
    row: 0,
    column: 3,
  })
})

it('sends a long pasted text as a message, even if it starts like a command', () => {
  const rest = '\nmore'.repeat(20)
  const taken = (text: string) => type(new MessageEditor(), pasted(`${text}${rest}`)).take().text
  expect(taken('!touch owned')).toBe(`\\!touch owned${rest}`)
  expect(taken(' \n!touch owned')).toBe(`\\!touch owned${rest}`)
  expect(taken('/* a comment */')).toBe(`//* a comment */${rest}`)
  expect(taken('@somebody')).toBe(`\\@somebody${rest}`)
  expect(type(new MessageEditor(), `!cat ${pasted(`!x${rest}`)}`).take().text).toBe(`!cat !x${rest}`)
})

it('tracks which mentions were typed, whatever is edited around them', () => {
  const mentions = (input: string, history?: string[]) =>
    type(new MessageEditor(history), input).take().mentions
  expect(mentions('see @a.md and @"b c.md", @d.')).toEqual(['a.md', 'b c.md', 'd'])
  expect(mentions(`x ${pasted('@a.md')} @b.md`)).toEqual(['b.md'])
  // Typed before, between and after pasted text, and with parts of it deleted.
  expect(mentions(`${pasted('@a @b')}\x01@c \x05 @d`)).toEqual(['c', 'd'])
  expect(mentions(`${pasted('x @a')}\x17@a`)).toEqual(['a'])
  expect(mentions(`@${pasted('a @b')}`)).toEqual(['a'])
  expect(mentions(`@${pasted(`a${'\n@b'.repeat(20)}`)}`)).toEqual(['[pasted'])
  expect(mentions('\x1b[A', ['@a'])).toEqual([])
  expect(mentions('@x\x1b[A\x1b[B', ['@a'])).toEqual(['x'])
})

it('restores a line of this chat with its mentions', () => {
  const editor = type(new MessageEditor(), `@a ${pasted('@b')}`)
  editor.remember(editor.take())
  expect(type(editor, '\x1b[A').take()).toEqual({ text: '@a @b', mentions: ['a'] })
  editor.insert('rest')
  editor.restore([{ text: '@a @b', mentions: ['b'] }])
  expect(editor.take()).toEqual({ text: '@a @b\nrest', mentions: ['b'] })
})

it('inserts nothing into a pasted text that contains a placeholder of another one', () => {
  const first = `[pasted 2: 21 lines]${'\nx'.repeat(20)}`
  const second = `y${'\ny'.repeat(20)}`
  const { text } = type(new MessageEditor(), `${pasted(first)} ${pasted(second)}`).take()
  expect(text).toBe(`${first} ${second}`)
})
