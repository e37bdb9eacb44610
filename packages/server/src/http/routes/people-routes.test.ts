import { readFileSync } from 'node:fs'
import { markUnsandboxedCommand } from '@cadre/home'
import { expect, it } from 'vitest'
import { peopleOf } from '../guard/people.ts'
import { type Answered, send } from '../page.spec-helpers.ts'
import { hostileNames, startTestServer } from './routes.spec-helpers.ts'

it('lets only an admin add and remove people, whose tokens work immediately and are stored as hashes', async () => {
  const { address, ask, home, logIn, daemon } = await startTestServer({ people: peopleOf })
  const body = { name: 'bob', roles: ['approver'] }
  expect((await ask('/api/people')).status).toBe(403)
  expect((await ask('/api/people', { method: 'POST', body })).status).toBe(403)
  const headers = await logIn('root', ['admin'])
  const added = await ask('/api/people', { method: 'POST', body, headers })
  expect(added.json()).toEqual({ ...body, token: expect.stringMatching(/^cadre_/) })
  const { token } = added.json<{ token: string }>()
  const asBob = (target: string): Promise<Answered> =>
    send(address, target, { headers: { authorization: `Bearer ${token}` } })
  expect((await asBob('/api/me')).json()).toMatchObject({ by: 'bob', roles: ['viewer', 'approver'] })
  expect((await asBob('/api/people')).status).toBe(403)
  const listed = await ask('/api/people', { headers })
  expect(listed.json()).toEqual({ items: [body] })
  expect(readFileSync(home.at('storage', 'people.yaml'), 'utf8')).not.toContain(token)
  for (const wrong of [
    body,
    { name: '../x', roles: ['viewer'] },
    { name: 'eve', roles: ['root'] },
    { name: 'eve', roles: [] },
  ])
    expect((await ask('/api/people', { method: 'POST', body: wrong, headers })).status).toBe(400)
  const end = markUnsandboxedCommand(home, 'test')
  expect((await ask('/api/people', { method: 'POST', body: { ...body, name: 'eve' }, headers })).status).toBe(
    423,
  )
  end()
  for (const name of hostileNames) {
    const { status } = await ask(`/api/people/${name}`, { method: 'DELETE', headers })
    expect([name, [400, 404, 405].includes(status)]).toEqual([name, true])
  }
  expect((await ask('/api/people/bob', { method: 'DELETE', headers })).json()).toEqual({ removed: true })
  expect((await asBob('/api/me')).status).toBe(401)
  const notes = daemon.happenings.filter(({ type }) => type === 'people.changed')
  expect(notes.map(({ message }) => message)).toEqual(['root added bob: approver.', 'root removed bob.'])
})
