import { expect, test } from 'vitest'
import { textWidth } from './text-width.ts'
import { wrapText } from './wrap-text.ts'

test('breaks lines between words, below the column they are in', () => {
  const text = [
    '  run    Run an agent on a task',
    'short',
    'A sentence that is long',
    '    -a --all  x y',
  ].join('\n')
  expect(wrapText(text, 20)).toBe(
    [
      '  run    Run an',
      '         agent on a',
      '         task',
      'short',
      'A sentence that is',
      'long',
      '    -a --all  x y',
    ].join('\n'),
  )
})

test('keeps a word that is longer than a line, and a second column that leaves no room starts below', () => {
  expect(wrapText('abcdefghijkl mn', 5)).toBe('abcdefghijkl\nmn')
  expect(wrapText('  --a-long-flag  text of it', 20)).toBe('  --a-long-flag\n  text of it')
})

test('keeps commands whole that are to be copied', () => {
  expect(wrapText('Session a is running. Stop it with "cadre sessions cancel a" or wait.', 30)).toBe(
    'Session a is running. Stop it\nwith "cadre sessions cancel a"\nor wait.',
  )
  expect(wrapText('Resume later with: cadre chat --resume lead-4k2 --home x', 30)).toBe(
    'Resume later with:\ncadre chat --resume lead-4k2 --home x',
  )
  expect(wrapText('Use `git config --global x` here', 12)).toBe('Use\n`git config --global x`\nhere')
})

test('counts what is seen: colours take no room, wide characters take two columns', () => {
  const green = '\x1b[32mone\x1b[39m \x1b[32mtwo\x1b[39m three'
  expect(wrapText(green, 7)).toBe('\x1b[32mone\x1b[39m \x1b[32mtwo\x1b[39m\nthree')
  expect(wrapText('世界 世界', 8, textWidth)).toBe('世界\n世界')
})
