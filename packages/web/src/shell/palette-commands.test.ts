import { expect, test } from 'vitest'
import { matchCommands } from './palette-commands.ts'

const command = (title: string, hint = '', line?: string) => ({
  title,
  hint,
  ...(line !== undefined && { command: line }),
  run: () => {},
})
const all = [
  command('Go to Runs', 'all sessions'),
  command('Go to Waiting', 'decide'),
  command('Cancel lead-1', 'stop it', 'cadre sessions cancel lead-1'),
]
const titles = (typed: string) => matchCommands(all, typed).map(({ title }) => title)

test('lists everything if the text is empty', () => {
  expect(titles('  ')).toHaveLength(3)
})

test('every word must occur, in any case and place', () => {
  expect(titles('GO wait')).toEqual(['Go to Waiting'])
  expect(titles('go cancel')).toEqual([])
  expect(titles('sessions')).toEqual(['Go to Runs', 'Cancel lead-1'])
})

test('a match in the title comes before one in the hint', () => {
  expect(titles('c')[0]).toBe('Cancel lead-1')
})
