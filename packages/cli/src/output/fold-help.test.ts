import { expect, test } from 'vitest'
import { foldHelp } from './fold-help.ts'

test('wraps between words, within the column', () => {
  const text = [
    '  run    Run an agent on a task',
    'short',
    'A sentence that is long',
    '    -a --all  x y',
  ].join('\n')
  expect(foldHelp(text, 20)).toBe(
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

test('keeps a word that is longer than a line, and moves a second column without space below', () => {
  expect(foldHelp('abcdefghijkl mn', 5)).toBe('abcdefghijkl\nmn')
  expect(foldHelp('  --a-long-flag  text of it', 20)).toBe('  --a-long-flag \n  text of it')
})
