import { currentUser } from '@cadre/disk'
import { openPeople } from '@cadre/home'
import { expect, it } from 'vitest'
import { askingEntries, send, temporaryHome, testPage, writeSession } from './page.spec-helpers.ts'

/** The question needs two people. */
function sharedEntries(need: object = { quorum: 2, roles: ['approver'], notByStarter: false }) {
  return askingEntries().map((entry) =>
    entry.role === 'event' && entry.type === 'person.asked'
      ? {
          ...entry,
          detail: {
            ...(entry['detail'] as object),
            approvals: need,
          },
        }
      : entry,
  )
}

it('counts a login as its system user and a token as its person, once each', async () => {
  const home = temporaryHome()
  writeSession(home, 'lead-1', sharedEntries() as ReturnType<typeof askingEntries>)
  const people = openPeople(home)
  await people.add({ name: 'ann', roles: ['approver'], system: currentUser(), token: false })
  const bob = await people.add({ name: 'bob', roles: ['approver'] })
  const carol = await people.add({ name: 'carol', roles: ['viewer'] })
  const page = await testPage(home)
  await page.settled()
  const login = await page.login()
  const bearer = (token = '') => ({ authorization: `Bearer ${token}` })
  const list = await send(page.address, '/api/approvals', { headers: login })
  const [approval] = list.json<{ items: { id: string }[] }>().items
  const vote = async (headers: Record<string, string>, more: object = {}) => {
    const body = { decision: 'approve', action: 'npm test', ...more }
    const path = `/api/approvals/${approval?.id}/decision`
    return send(page.address, path, { method: 'POST', headers, body })
  }
  // The login contains a name, but it belongs to the system user who runs this test.
  for (const _ of ['once', 'again'])
    expect((await vote(login)).json()).toMatchObject({
      recorded: true,
      decided: false,
      votes: [{ by: 'ann', via: 'page' }],
    })
  expect((await vote(bearer(carol.token))).status).toBe(403)
  expect((await vote(bearer(`${bob.token}x`))).status).toBe(401)
  expect((await vote(login, { for: 'rule' })).status).toBe(400)
  const seen = async (headers: Record<string, string>) =>
    (await send(page.address, '/api/approvals', { headers })).json<{ items: { objection?: string }[] }>()
      .items[0]?.objection
  expect(await seen(login)).toBeUndefined()
  expect(await seen(bearer(bob.token))).toBeUndefined()
  expect(await seen(bearer(carol.token))).toBe('You need the role approver to decide. You have: viewer.')
  const decided = await vote(bearer(bob.token))
  expect(decided.json()).toMatchObject({ recorded: true, decided: true, by: 'ann, bob' })
  const after = await send(page.address, `/api/approvals/${approval?.id}`, { headers: login })
  expect(after.json()).toMatchObject({
    status: 'approved',
    decidedBy: 'ann, bob',
    needed: { quorum: 2, roles: ['approver'], notByStarter: false },
    votes: [
      { by: 'ann', via: 'page' },
      { by: 'bob', via: 'api' },
    ],
  })
})

it('tells each caller why their vote would not count, and rejects the vote with the same reason', async () => {
  const home = temporaryHome()
  const entries = sharedEntries({ quorum: 1, roles: ['approver'], notByStarter: true })
  writeSession(home, 'lead-1', entries as ReturnType<typeof askingEntries>, { startedBy: 'ann' })
  const people = openPeople(home)
  const ann = await people.add({ name: 'ann', roles: ['approver'] })
  const bob = await people.add({ name: 'bob', roles: ['approver'] })
  const page = await testPage(home)
  await page.settled()
  const bearer = (token = '') => ({ authorization: `Bearer ${token}` })
  const list = async (headers: Record<string, string>) =>
    (await send(page.address, '/api/approvals', { headers })).json<{
      items: { id: string; objection?: string }[]
    }>().items[0]
  const login = await page.login()
  const me = currentUser()
  const wanted: [Record<string, string>, string | undefined][] = [
    [bearer(bob.token), undefined],
    [
      bearer(ann.token),
      'Your vote does not count: ann started or influenced this run, and the policy requires',
    ],
    [login, `Your vote does not count: ${me} has no role in this home, and the policy requires`],
  ]
  for (const [headers, text] of wanted) {
    const approval = await list(headers)
    expect(approval?.objection).toEqual(text === undefined ? undefined : expect.stringContaining(text))
    if (text === undefined) continue
    const path = `/api/approvals/${approval?.id}`
    expect((await send(page.address, path, { headers })).json()).toMatchObject({
      objection: approval?.objection,
    })
    const body = { decision: 'approve', action: 'npm test' }
    const refused = await send(page.address, `${path}/decision`, { method: 'POST', headers, body })
    expect([refused.status, refused.json<{ title: string }>().title]).toEqual([403, approval?.objection])
  }
})

it('reports that decisions do not count in an untrusted home', async () => {
  const home = temporaryHome()
  writeSession(home, 'lead-1', askingEntries())
  const user = home.folder('user')
  const page = await testPage(home, {
    environment: { env: { HOME: user, PATH: process.env['PATH'] }, cwd: user, warn: () => {} },
  })
  await page.settled()
  const { items } = (await send(page.address, '/api/approvals', { headers: await page.login() })).json<{
    items: { objection?: string }[]
  }>()
  expect(items[0]?.objection).toContain('not trusted')
})
