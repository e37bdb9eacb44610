import { markUnsandboxedCommand, openPeople } from '@cadre/home'
import { expect, it } from 'vitest'
import { send, temporaryHome } from './page.spec-helpers.ts'
import { type TestSite, testSite } from './site.spec-helpers.ts'

const post = { method: 'POST', body: {} }

async function homeWithAnn() {
  const home = temporaryHome()
  const { token = '' } = await openPeople(home).add({ name: 'ann', roles: ['approver'] })
  return { home, bearer: { authorization: `Bearer ${token}` } }
}

async function logIn(site: TestSite, headers: Record<string, string>) {
  const answer = await send(site.address, '/api/login', { ...post, headers })
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  const cookie = String(answer.headers['set-cookie']?.[0])
  const { key, ...who } = answer.json<{ key: string }>()
  return { who, cookie, headers: { cookie: cookie.split(';', 1)[0] ?? '', 'x-cadre-key': key } }
}

it("exchanges a token for a login with the person's name and roles", async () => {
  const { home, bearer } = await homeWithAnn()
  const site = await testSite(home)
  const { who, cookie, headers } = await logIn(site, bearer)
  expect(who).toEqual({ by: 'ann', roles: ['viewer', 'approver'] })
  expect(cookie).toContain('HttpOnly; SameSite=Strict')
  expect(cookie).not.toContain('Secure')
  const me = () => send(site.address, '/api/me', { headers })
  expect((await me()).json()).toMatchObject(who)
  expect((await send(site.address, '/api/people', { headers })).status).toBe(403)
  expect((await send(site.address, '/api/me', { headers: { cookie: headers.cookie } })).status).toBe(401)
  expect((await send(site.address, '/api/logout', { ...post, headers })).status).toBe(200)
  expect((await me()).status).toBe(401)
  // The token is still valid.
  expect((await send(site.address, '/api/me', { headers: bearer })).status).toBe(200)
})

it('rejects a login without a valid token or secret, with both, or while a command could have the token', async () => {
  const { home, bearer } = await homeWithAnn()
  const site = await testSite(home)
  const login = async (headers: Record<string, string>, body: object = {}) =>
    (await send(site.address, '/api/login', { method: 'POST', headers, body })).status
  expect(await login({})).toBe(400)
  expect(await login(bearer, { secret: 'x' })).toBe(400)
  expect(await login({ authorization: `${bearer.authorization}x` })).toBe(401)
  expect(await login({ authorization: 'Basic YW5uOng=' })).toBe(401)
  expect(await login({ authorization: '' }, { secret: 'x' })).toBe(401)
  expect(await login({ ...bearer, origin: 'https://evil.test' })).toBe(403)
  expect(await login({ ...bearer, host: `evil.test:${site.port}` })).toBe(403)
  const end = markUnsandboxedCommand(home, 'test')
  expect(await login(bearer)).toBe(423)
  end()
  expect(await login(bearer)).toBe(200)
})

it('ends the login when the person is removed, even if the same name is added again', async () => {
  const { home, bearer } = await homeWithAnn()
  const site = await testSite(home)
  const { headers } = await logIn(site, bearer)
  await openPeople(home).remove('ann')
  await openPeople(home).add({ name: 'ann', roles: ['admin'] })
  expect((await send(site.address, '/api/me', { headers })).status).toBe(401)
})

it('accepts a login from a token for a proxy\'s host name, but not a login from "cadre open"', async () => {
  const { home, bearer } = await homeWithAnn()
  const site = await testSite(home, { hosts: ['cadre.example.org'] })
  const proxy = { host: 'cadre.example.org', origin: 'https://cadre.example.org' }
  const { cookie, headers } = await logIn(site, { ...bearer, ...proxy })
  expect(cookie).toMatch(/; Secure$/)
  const me = async (more: Record<string, string>) =>
    (await send(site.address, '/api/me', { headers: { ...more, ...proxy } })).status
  expect(await me(headers)).toBe(200)
  expect(await me(await site.login(['admin']))).toBe(401)
  expect((await send(site.address, '/api/login', { ...post, headers: proxy })).status).toBe(403)
})

it('never ends the logins of other people, however often somebody logs in', async () => {
  const { home, bearer } = await homeWithAnn()
  const { token } = await openPeople(home).add({ name: 'eve', roles: ['viewer'] })
  const site = await testSite(home)
  const { headers } = await logIn(site, bearer)
  const own = await site.login(['viewer'])
  const eve = await logIn(site, { authorization: `Bearer ${token}` })
  for (let count = 0; count < 101; count++) await logIn(site, { authorization: `Bearer ${token}` })
  const me = async (login: Record<string, string>) =>
    (await send(site.address, '/api/me', { headers: login })).status
  expect([await me(headers), await me(own), await me(eve.headers)]).toEqual([200, 200, 401])
})
