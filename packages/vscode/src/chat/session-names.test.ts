import { expect, it } from 'vitest'
import { SessionNames } from './session-names.ts'

it('names sessions after their agents, at any depth, and numbers equal ones', () => {
  const names = new SessionNames()
  const start = (session: string, agent: string, parent?: string) =>
    names.add({ session, agent, ...(parent && { parent: { session: parent, call: 'c' } }) })
  start('1', 'lead')
  start('2', 'reviewer', '1')
  start('3', 'reviewer', '1')
  start('4', 'linter', '3')
  start('5', 'linter', '2')
  start('3', 'reviewer', '1')
  expect(['1', '2', '3', '4', '5', '6'].map((id) => names.labelOf(id))).toEqual([
    '',
    'reviewer',
    'reviewer 2',
    'reviewer 2 › linter',
    'reviewer › linter',
    '',
  ])
  expect(names.chainOf('4')).toBe('lead › reviewer 2 › linter')
  expect([names.isEntry('1'), names.isEntry('2'), names.isEntry('6')]).toEqual([true, false, false])
})
