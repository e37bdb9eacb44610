import { expect, it } from 'vitest'
import { anything } from '../ports/schema.ts'
import { defineTool, type Tool } from '../ports/tool.ts'
import { normaliseInput } from './toolset.ts'

const tool = defineTool({
  name: 'run',
  description: '',
  class: 'execute',
  effect: 'execute',
  argumentAliases: { cmd: 'command', script: 'command' },
  adapt: { shell: ({ cmd: _, ...rest }) => rest },
  input: anything(''),
  run: () => Promise.reject(new Error('never run')),
}) as Tool

it.each([
  ['run', { command: 'ls', cmd: 'rm' }, 'command and cmd'],
  ['run', { cmd: 'ls', script: 'rm' }, 'cmd and script'],
  ['shell', { command: 'ls', cmd: 'rm' }, 'command and cmd'],
])('an argument of %s that is given twice, with different values, is refused', (spelling, given, names) => {
  expect(() => normaliseInput(tool, spelling, given)).toThrow(
    `${names} are the same argument with different values; give command once`,
  )
})

it('renames other spellings to the name of the argument', () => {
  expect(normaliseInput(tool, 'run', { cmd: 'ls', cwd: 'a' })).toEqual({ command: 'ls', cwd: 'a' })
  expect(normaliseInput(tool, 'run', { cmd: 'ls', command: 'ls', script: null })).toEqual({ command: 'ls' })
})
