import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { commandLine } from './shell-word.ts'

test('a shell reads back exactly the words', () => {
  const words = ["it's", '$(id)', '`id`', 'a b', '', '"; rm x', 'plain-1.2', 'a\nb', '\\', '!x', '*']
  const printed = execFileSync('sh', ['-c', commandLine('printf', '%s\\0', ...words)], { encoding: 'utf8' })
  expect(printed.split('\0').slice(0, -1)).toEqual(words)
})

test('plain words have no quotes', () => {
  expect(commandLine('cadre', 'sessions', 'cancel', 'lead-4k2')).toBe('cadre sessions cancel lead-4k2')
})
