import { get, request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { checkSchema } from '@cadre/core'
import { expect, it } from 'vitest'
import { askingEntries, send, temporaryHome, writeSession } from './page.spec-helpers.ts'
import { HttpProblem } from './problem.ts'
import { requireMatch } from './require-match.ts'
import { allRoutes } from './routes/all-routes.ts'
import { components } from './schemas.ts'
import { peopleByRole, testSite, tokenOf } from './site.spec-helpers.ts'

const admin = { authorization: `Bearer ${tokenOf('admin')}` }

async function siteWithSession() {
  const home = temporaryHome()
  writeSession(home, 'lead-1', askingEntries())
  const site = await testSite(home, { people: peopleByRole })
  await site.page.idle()
  return { home, site }
}

it('returns 304 if the client already has the content', async () => {
  const { site } = await siteWithSession()
  const first = await send(site.address, '/api/sessions', { headers: admin })
  const etag = String(first.headers['etag'])
  expect(etag).toMatch(/^"[\w-]{22}"$/)
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const again = await send(site.address, '/api/sessions', { headers: { ...admin, 'if-none-match': known } })
    expect([known, again.status, again.text]).toEqual([known, 304, ''])
  }
  const other = await send(site.address, '/api/sessions', { headers: { ...admin, 'if-none-match': '"x"' } })
  expect(other.status).toBe(200)
  const journal = await send(site.address, '/api/sessions/lead-1/journal', { headers: admin })
  expect(journal.headers['etag']).toBe(`"${journal.json()['etag']}"`)
})

it.each(['/api/sessions', '/api/sessions/lead-1/tree'])(
  'checks every caller of %s, and never returns an old answer',
  async (target) => {
    const { site } = await siteWithSession()
    const { index, hub } = site.page.context
    const get = (headers = {}) => send(site.address, target, { headers })
    const first = await get(admin)
    expect((await get(admin)).text).toBe(first.text)
    for (const stranger of [{}, { authorization: 'Bearer none' }, { ...admin, host: 'evil.test' }])
      expect([401, 403]).toContain((await get(stranger)).status)
    const known = { ...admin, 'if-none-match': String(first.headers['etag']) }
    expect((await get(known)).status).toBe(304)
    index.change('lead-1', (facts) => {
      facts.agent = 'renamed'
    })
    const second = await get(known)
    expect([second.status, second.text]).toEqual([200, expect.stringContaining('"agent":"renamed"')])
    index.sent('lead-1', 41)
    expect((await get(known)).text).toContain('"seq":41')
    const before = hub.at()
    hub.publish(() => ({ type: 'status' }) as never)
    expect((await get(admin)).text).toContain(`"at":"${hub.at()}"`)
    expect(hub.at()).not.toBe(before)
    index.remove('lead-1')
    expect((await get(admin)).text).not.toContain('renamed')
    expect(site.failures).toEqual([])
  },
)

it('compresses answers above 1 KB if the client supports it', async () => {
  const { site } = await siteWithSession()
  const sizes = await new Promise<[string | undefined, string]>((resolve) => {
    const headers = { ...admin, 'accept-encoding': 'br, gzip' }
    get(`${site.address}/api/openapi.json`, { headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () =>
        resolve([response.headers['content-encoding'], gunzipSync(Buffer.concat(parts)).toString('utf8')]),
      )
    })
  })
  expect(sizes[0]).toBe('gzip')
  expect(JSON.parse(sizes[1])).toMatchObject({ openapi: '3.1.0' })
  const refused = await send(site.address, '/api/openapi.json', {
    headers: { ...admin, 'accept-encoding': 'gzip;q=0' },
  })
  expect(refused.headers['content-encoding']).toBeUndefined()
  const short = await send(site.address, '/api/me', { headers: { ...admin, 'accept-encoding': 'gzip' } })
  expect(short.headers['content-encoding']).toBeUndefined()
})

it.each([
  ['GET', '/api/sessions?limit=0', undefined, 400, 'limit must be at least 1'],
  ['GET', '/api/sessions?limit=x', undefined, 400, 'limit must be integer'],
  ['GET', '/api/sessions?nonsense=1', undefined, 400, 'Unknown parameter "nonsense"'],
  ['GET', '/api/sessions?limit=1&limit=2', undefined, 400, 'given twice'],
  ['GET', '/api/sessions?after=nonsense', undefined, 400, 'is not a position'],
  ['GET', '/api/sessions/none', undefined, 404, 'There is no session "none".'],
  ['GET', '/api/sessions/..%2f..%2fetc%2fpasswd', undefined, 404, 'There is no session'],
  ['GET', '/api/sessions/%E0%A4%A', undefined, 400, 'not encoded'],
  ['GET', '/api/sessions/a%00b', undefined, 400, 'invalid'],
  ['GET', '/api/nothing', undefined, 404, 'Not found'],
  ['POST', '/api/me', {}, 405, 'accepts only GET'],
  ['DELETE', '/api/sessions/lead-1/tree', undefined, 405, 'accepts only GET'],
  ['POST', '/api/approvals/x/decision', { decision: 'approve' }, 400, 'action is missing'],
  ['POST', '/api/approvals/x/decision', { decision: 'maybe', action: '' }, 400, 'decision must be one of'],
  ['POST', '/api/approvals/x/decision', { decision: 'approve', action: '', by: 'eve' }, 400, 'by is unknown'],
  [
    'POST',
    '/api/approvals/x/decision',
    { decision: 'approve', action: '' },
    404,
    'There is no approval "x".',
  ],
  ['GET', '//evil.test/api/me', undefined, 400, 'address is invalid'],
])('answers %s %s %j with a problem', async (method, path, body, status, title) => {
  const { site } = await siteWithSession()
  const answer = await send(site.address, path, { method, body, headers: admin })
  expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/problem+json'])
  expect(answer.json()).toMatchObject({ status, title: expect.stringContaining(title) })
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
  expect(site.failures).toEqual([])
})

it('accepts bodies only as JSON, and only up to a limit', async () => {
  const { site } = await siteWithSession()
  const post = (headers: Record<string, string>, body: string | Buffer) =>
    new Promise<number>((resolve, reject) => {
      const sent = request(
        `${site.address}/api/approvals/x/decision`,
        { method: 'POST', headers: { ...admin, ...headers } },
        (response) => {
          response.resume()
          resolve(response.statusCode ?? 0)
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  const json = { 'content-type': 'application/json' }
  expect(await post({ 'content-type': 'text/plain' }, '{}')).toBe(415)
  expect(await post({ 'content-type': 'application/x-www-form-urlencoded' }, '{}')).toBe(415)
  expect(await post({ ...json, 'content-encoding': 'gzip' }, '{}')).toBe(415)
  expect(await post(json, '{')).toBe(400)
  expect(await post(json, Buffer.from([0xff, 0xfe]))).toBe(400)
  expect(await post(json, `"${'x'.repeat(1 << 20)}"`)).toBe(413)
})

it('requires the current ETag for a change', () => {
  expect(() => requireMatch('a', 'a')).not.toThrow()
  const error = (() => {
    try {
      requireMatch('old', 'new')
      return undefined
    } catch (thrown) {
      return thrown as HttpProblem
    }
  })()
  expect(error).toBeInstanceOf(HttpProblem)
  expect([error?.status, error?.headers]).toEqual([412, { etag: '"new"' }])
})

it('serves only the files that the manifest lists, and the page for its views', async () => {
  const { site } = await siteWithSession()
  const statusOf = async (path: string) => (await send(site.address, path)).status
  expect(await statusOf('/main-1.js')).toBe(200)
  for (const path of ['/unlisted.js', '/../files.json', '/%2e%2e/files.json', '/files.json'])
    expect([path, await statusOf(path)]).toEqual([path, 404])
  const view = await send(site.address, '/sessions/lead-1?tab=journal')
  expect([view.status, view.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(view.headers).toMatchObject({
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  expect((await send(site.address, '/', { method: 'POST', body: {} })).status).toBe(405)
  expect((await send(site.address, '/', { method: 'HEAD' })).text).toBe('')
})

it('ends a login and its streams at logout', async () => {
  const { site } = await siteWithSession()
  const headers = await site.login(['viewer'])
  const stream = send(site.address, '/api/events?index=true', { headers })
  const opened = new Promise<void>((resolve) => {
    const look = () => (site.page.context.hub.readers() === 1 ? resolve() : setImmediate(look))
    look()
  })
  await opened
  const out = await send(site.address, '/api/logout', { method: 'POST', headers })
  expect([out.status, String(out.headers['set-cookie'])]).toEqual([200, expect.stringContaining('Max-Age=0')])
  expect((await stream).status).toBe(200)
  expect((await send(site.address, '/api/me', { headers })).status).toBe(401)
})

it("returns answers that match the OpenAPI document's schemas", async () => {
  const { site } = await siteWithSession()
  const approvals = await send(site.address, '/api/approvals', { headers: admin })
  const [approval] = approvals.json<{ items: { id: string; call: string }[] }>().items
  const paths: [keyof typeof allRoutes, string][] = [
    ['me', '/api/me'],
    ['describe', '/api/openapi.json'],
    ['status', '/api/status'],
    ['listProblems', '/api/problems'],
    ['listSessions', '/api/sessions'],
    ['getSession', '/api/sessions/lead-1'],
    ['getTree', '/api/sessions/lead-1/tree'],
    ['listEntries', '/api/sessions/lead-1/entries'],
    ['getJournal', '/api/sessions/lead-1/journal'],
    ['getCall', `/api/sessions/lead-1/calls/${approval?.call}`],
    ['listApprovals', '/api/approvals?status=all'],
    ['getApproval', `/api/approvals/${approval?.id}`],
    ['getApprovalDiff', `/api/approvals/${approval?.id}/diff`],
  ]
  for (const [name, path] of paths) {
    const answer = await send(site.address, path, { headers: admin })
    const schema = { ...allRoutes[name]?.schema, components: { schemas: components } }
    expect([name, answer.status, checkSchema(schema, answer.json())]).toEqual([name, 200, []])
  }
})
