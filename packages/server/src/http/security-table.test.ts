/** Generated from the routes: what each one answers to everybody who must not use it. A new route is covered without a new test. */
import { type OperationName, operations, type Role } from '@cadre/api'
import { describe, expect, it } from 'vitest'
import { allRoles, mayAct } from './guard/caller.ts'
import { consumeLogin, loginMs, writeLogin } from './guard/login-file.ts'
import { send, temporaryHome } from './page.spec-helpers.ts'
import { allRoutes } from './routes/all-routes.ts'
import { peopleByRole, testSite, tokenOf } from './site.spec-helpers.ts'

interface Listed {
  readonly name: OperationName
  readonly method: string
  readonly path: string
  readonly role: Role | 'public'
}

const listed: readonly Listed[] = Object.entries(operations).flatMap(([name, [method, path]]) => {
  const operation = name as OperationName
  const route = operation === 'events' ? { role: 'viewer' as const } : allRoutes[operation]
  return route === undefined
    ? []
    : [{ name: operation, method, path: path.replaceAll(/\{\w+\}/g, 'x'), role: route.role }]
})
const guarded = listed.filter(({ role }) => role !== 'public')

describe('the security table', () => {
  it('covers every route', () => {
    expect(listed.length).toBe(Object.keys(allRoutes).length + 1)
    expect(listed.filter(({ role }) => role === 'public').map(({ name }) => name)).toEqual(['login'])
  })

  it('rejects requests that do not have both halves of a valid login', async () => {
    const home = temporaryHome()
    let time = Date.now()
    const site = await testSite(home, { now: () => time })
    const headers = await site.login(['admin'])
    const { cookie = '', 'x-cadre-key': key = '' } = headers
    const other = await site.login(['admin'], 'ben')
    const strangers: Record<string, Readonly<Record<string, string>>> = {
      'no login': {},
      'no key': { cookie },
      'no cookie': { 'x-cadre-key': key },
      'the key of another login': { cookie, 'x-cadre-key': other['x-cadre-key'] ?? '' },
      'another cookie': { cookie: `cadre-${site.port}=${'A'.repeat(43)}`, 'x-cadre-key': key },
      'a cookie of another port': {
        cookie: cookie.replace(`cadre-${site.port}`, 'cadre-1'),
        'x-cadre-key': key,
      },
      'an unknown token': { authorization: 'Bearer 0123456789abcdef0123' },
      'a token beside a valid login': { ...headers, authorization: 'Bearer 0123456789abcdef0123' },
    }
    for (const { name, method, path } of guarded)
      for (const [who, sent] of Object.entries(strangers))
        expect([name, who, (await send(site.address, path, { method, headers: sent })).status]).toEqual([
          name,
          who,
          401,
        ])
    time += 25 * 3600_000
    for (const { name, method, path } of guarded)
      expect([name, (await send(site.address, path, { method, headers })).status]).toEqual([name, 401])
  })

  it('rejects requests for other hosts and from other pages, whatever the login', async () => {
    const site = await testSite(temporaryHome())
    const headers = await site.login(['admin'])
    const { port } = site
    const origin = `http://127.0.0.1:${port}`
    const foreign: Record<string, Readonly<Record<string, string>>> = {
      'a rebound name': { host: `evil.test:${port}` },
      'another port': { host: `127.0.0.1:${port + 1}` },
      'no port': { host: '127.0.0.1' },
      'any address': { host: `0.0.0.0:${port}` },
      'another address of this machine': { host: `127.0.0.2:${port}` },
      'the origin of another port': { origin: `http://127.0.0.1:${port + 1}`, 'sec-fetch-site': 'same-site' },
      'another origin': { origin: 'https://evil.test' },
      'our name over https': { origin: `https://127.0.0.1:${port}` },
      'an opaque origin': { origin: 'null' },
      'a request of another site': { 'sec-fetch-site': 'cross-site' },
      'a request of another port': { 'sec-fetch-site': 'same-site' },
      'our origin, but another site': { origin, 'sec-fetch-site': 'cross-site' },
      'a navigation from elsewhere': { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    }
    for (const { name, method, path } of listed)
      for (const [what, sent] of Object.entries(foreign))
        expect([
          name,
          what,
          (await send(site.address, path, { method, headers: { ...headers, ...sent } })).status,
        ]).toEqual([name, what, 403])
    for (const [what, sent] of Object.entries(foreign)) {
      const status = what.startsWith('a navigation') ? 200 : 403
      for (const file of ['/', '/main-1.js', '/sessions/lead-1'])
        expect([file, what, (await send(site.address, file, { headers: sent })).status]).toEqual([
          file,
          what,
          status,
        ])
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])
      expect([
        method,
        (
          await send(site.address, '/api/approvals', {
            method,
            headers: { ...headers, origin: 'https://evil.test' },
          })
        ).status,
      ]).toEqual([method, 403])
  })

  it.each(allRoles)('lets the role %s use exactly the routes that require it', async (role) => {
    const site = await testSite(temporaryHome(), { people: peopleByRole })
    const headers = { authorization: `Bearer ${tokenOf(role)}` }
    for (const { name, method, path, role: needed } of guarded) {
      if (name === 'events') continue
      const { status } = await send(site.address, path, { method, headers })
      const isAllowed = mayAct({ roles: [role] }, needed as Role)
      expect([name, isAllowed ? status !== 401 && status !== 403 : status]).toEqual([
        name,
        isAllowed ? true : 403,
      ])
    }
    expect(site.failures).toEqual([])
  })

  it('accepts a login once, for one minute, and only from a file in the home', async () => {
    const home = temporaryHome()
    const site = await testSite(home)
    const login = async (secret: string) =>
      (await send(site.address, '/api/login', { method: 'POST', body: { secret } })).status
    const secret = writeLogin(home, { by: 'ann', roles: ['viewer'] })
    expect([await login(secret), await login(secret)]).toEqual([200, 401])
    expect(await login(writeLogin(home, { by: 'ann', roles: ['viewer'] }, Date.now() - loginMs - 1))).toBe(
      401,
    )
    expect(await login(writeLogin(home, { by: 'ann', roles: ['viewer'] }, Date.now() + 3600_000))).toBe(401)
    for (const guess of ['../../x', '', '.', 'a'.repeat(200), 'x'.repeat(5000), '\0'])
      expect([guess, await login(guess)]).toEqual([
        guess,
        guess.length > 4096 ? 413 : guess === '' ? 400 : 401,
      ])
    const both = writeLogin(home, { by: 'ann', roles: ['viewer'] })
    const results = await Promise.all([login(both), login(both), login(both)])
    expect(results.toSorted()).toEqual([200, 401, 401])
    expect(consumeLogin(home, both)).toBeUndefined()
  })
})
