import { expect, test } from 'vitest'
import { createProblems } from '../daemon/create-problems.ts'
import { SessionProblems } from './session-problems.ts'

test('shows one problem of a session at a time, and notes it once although other parts retry', () => {
  const notes: string[] = []
  const problems = createProblems(({ message }) => void notes.push(message))
  const all = new SessionProblems(problems)
  const [delivery, run] = [all.reporter(), all.reporter()]
  delivery('lead-1', 'cannot deliver: no server')
  for (let retry = 0; retry < 3; retry++) {
    run('lead-1', 'no server')
    run('lead-1', undefined)
    delivery('lead-1', 'cannot deliver: no server')
  }
  expect(problems.list().map(({ message }) => message)).toEqual(['cannot deliver: no server'])
  expect(notes).toHaveLength(1)
  run('lead-1', 'the record is damaged')
  delivery('lead-1', undefined)
  expect(problems.list().map(({ message }) => message)).toEqual(['the record is damaged'])
  run('lead-1', undefined)
  expect(problems.list()).toEqual([])
})
