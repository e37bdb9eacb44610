import type { Guard } from '@cadre/gate'
import type { Home } from '@cadre/home'
import { expect, it } from 'vitest'
import { createConfine } from './create-confine.ts'

const program = {
  command: '/bin/true',
  args: [],
  cwd: '/',
  env: {},
  workspace: '/',
  folder: '/',
  readOnly: false,
}
const effects = { read: 'allow', write: 'ask', execute: 'ask', outbound: 'ask' } as const

function confine(over: object) {
  return createConfine({
    home: {} as Home,
    guard: {} as Guard,
    sandbox: Promise.resolve({ kind: 'none', reason: 'bubblewrap is not installed' }),
    userHome: '/',
    policy: { effects: { ...effects, ...over } },
    tell: undefined,
  })(program)
}

it('is refused without a sandbox, which the user can accept', async () => {
  expect(await confine({})).toEqual({ kind: 'refused', reason: 'bubblewrap is not installed' })
})

it.each(['execute', 'outbound', 'write'])('is refused for good if a policy denies %s', async (effect) => {
  expect(await confine({ [effect]: 'deny' })).toMatchObject({ kind: 'refused', firm: true })
})
