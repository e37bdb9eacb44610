import { expect, test } from 'vitest'
import { explainCommand, readInput } from './what-if-request.ts'

test.each([
  ['', {}],
  [' {"command": "ls"} ', { command: 'ls' }],
])('reads %j', (typed, input) => {
  expect(readInput(typed)).toEqual({ kind: 'ok', input })
})

test.each([['{'], ['[]'], ['null'], ['"x"'], ['1']])('explains the error in %j', (typed) => {
  const read = readInput(typed)
  expect(read.kind).toBe('fault')
  expect(read.kind === 'fault' && read.message).toMatch(/JSON/)
})

test('the command keeps the arguments in one word', () => {
  expect(
    explainCommand({
      agent: 'lead',
      tool: 'execute_command',
      input: `{"command": "echo 'x'"}`,
      depth: 'a>b',
    }),
  ).toBe(
    `cadre policy explain --agent lead --tool execute_command --input '{"command": "echo '\\''x'\\''"}' --depth 'a>b'`,
  )
})
