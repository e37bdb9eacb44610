import { expect, test } from 'vitest'
import { helpText } from '../help-text.ts'
import { wrapHelp } from './wrap-help.ts'

const terminal = (columns: number) => ({ isTTY: true, stream: { columns } })

test('leaves lines that fit as they are', () => {
  const text = 'USAGE\n  cadre undo\n\n  -h  --help  Print help\n'
  expect(wrapHelp(text, terminal(80))).toBe(text)
})

test('continues a description under its beginning', () => {
  const text = '     [--home DIR]  The home directory; default: the nearest one\n  -h  --help       Print'
  expect(wrapHelp(text, terminal(50))).toBe(
    '     [--home DIR]  The home directory; default:\n                   the nearest one\n  -h  --help       Print',
  )
})

test('uses a small indent where the second column is too far right', () => {
  expect(wrapHelp('     [--key-command COMMAND]  A command that prints', terminal(36))).toBe(
    '     [--key-command COMMAND]  A\n         command that prints',
  )
})

test('keeps a command in one piece', () => {
  const text = '  git diff | cadre run -q "Review this" > review.md'
  expect(wrapHelp(text, terminal(30))).toBe(text)
})

test('joins prose that was broken for a wider terminal, and keeps other lines apart', () => {
  const long = `${'word '.repeat(19)}end`
  expect(wrapHelp(`${long}\nmore.\nShort.\nAlone.`, terminal(200))).toBe(`${long} more.\nShort.\nAlone.`)
})

test('text for anything but a terminal is not wrapped', () => {
  const output = { isTTY: false, stream: { columns: 20 } }
  expect(wrapHelp(helpText(), output)).toBe(helpText())
})

test.for([40, 80, 120])('the help of the first level fits into %i columns', (columns) => {
  const lines = wrapHelp(helpText(), terminal(columns)).split('\n')
  const others = lines.filter((line) => !line.startsWith('  cadre '))
  expect(Math.max(...others.map((line) => line.length))).toBeLessThan(columns)
  expect(lines.join(' ').replace(/\s+/g, ' ')).toBe(helpText().replace(/\s+/g, ' '))
})
