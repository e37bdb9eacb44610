import { expect, test } from 'vitest'
import { diffLines } from './diff-lines.ts'

test('shows differences with a few context lines', () => {
  expect(diffLines('1\n2\n3\n4\nfive\n6\n7\n8\n9', '1\n2\n3\n4\n5\nand more\n6\n7\n8\n9')).toEqual([
    '  2',
    '  3',
    '  4',
    '- five',
    '+ 5',
    '+ and more',
    '  6',
    '  7',
    '  8',
  ])
  expect(diffLines('a\na', 'a\na\na')).toEqual(['  a', '  a', '+ a'])
  expect(diffLines('a\nb', 'a\nb')).toEqual([])
})

test('shows new and deleted files completely', () => {
  expect(diffLines(undefined, 'a\nb')).toEqual(['+ a', '+ b'])
  expect(diffLines('a\nb', undefined)).toEqual(['- a', '- b'])
})

test('shows invisible characters', () => {
  expect(diffLines('xy', 'x\u200by\u202e')).toEqual(['- xy', '+ x\\u{200b}y\\u{202e}'])
})
