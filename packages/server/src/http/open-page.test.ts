import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createClient, type StreamPart } from '@cadre/api'
import { openHome } from '@cadre/home'
import { expect, it, onTestFinished } from 'vitest'
import { workspaceOf } from './home-place.ts'
import { askingEntries, send, temporaryHome, testPage, writeSession } from './page.spec-helpers.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are compared field by field
type Any = any

it('shows sessions, their tree, entries and calls', async () => {
  const home = temporaryHome()
  writeSession(home, 'lead-1', askingEntries())
  writeSession(home, 'tester-1', [{ role: 'user', content: 'Run the tests.' }], {
    root: 'lead-1',
    parent: { session: 'lead-1', call: 'call-0' },
    depth: 1,
    chain: ['lead', 'tester'],
  })
  const page = await testPage(home)
  await page.settled()
  const headers = await page.login()
  const get = async (path: string) => {
    const answer = await send(page.address, path, { headers })
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    return answer.json<Any>()
  }
  const list = await get('/api/sessions?roots=true')
  expect(list.items).toEqual([
    expect.objectContaining({
      id: 'lead-1',
      agent: 'lead',
      state: 'stopped',
      usage: { input: 100, output: 20, cost: 0.01 },
      subtree: expect.objectContaining({ sessions: 2, waiting: 1 }),
    }),
  ])
  expect((await get('/api/sessions?state=stopped,ended')).items).toHaveLength(2)
  const unknown = await send(page.address, '/api/sessions?state=stopped,zzz', { headers })
  expect([unknown.status, unknown.json<Any>().title]).toEqual([
    400,
    'Unknown state "zzz". Known: queued, working, waiting, ended, stopped.',
  ])
  const tree = await get('/api/sessions/lead-1/tree')
  expect(tree.rows.map(({ id, root }: Any) => [id, root])).toEqual([
    ['lead-1', 'lead-1'],
    ['tester-1', 'lead-1'],
  ])
  const detail = await get('/api/sessions/tester-1')
  expect(detail).toMatchObject({ work: 'Check the cache.', chain: ['lead', 'tester'], isolated: false })
  const entries = await get('/api/sessions/lead-1/entries?limit=2')
  expect(entries).toMatchObject({ total: 4, before: 3 })
  expect(entries.entries.map(({ seq }: Any) => seq)).toEqual([3, 4])
  const call = await get('/api/sessions/lead-1/calls/call-1')
  expect(call).toMatchObject({
    tool: 'run_command',
    status: 'waiting',
    verdict: { decision: 'ask', by: 'policy', rule: 'commands', risk: 'MEDIUM' },
  })
  const approvals = await get('/api/approvals')
  expect(approvals.items).toEqual([
    expect.objectContaining({ action: 'npm test', chain: ['lead'], risk: 'MEDIUM', votes: [] }),
  ])
  expect((await get('/api/me')).daemon).toBe(false)
})

it("records the logged-in person's decision, and sends it to the stream", async () => {
  const home = temporaryHome()
  writeSession(home, 'lead-1', askingEntries())
  const page = await testPage(home)
  await page.settled()
  const headers = await page.login()
  const client = createClient({
    address: page.address,
    fetch: (url, init) => fetch(url, { ...init, headers: { ...(init?.headers as object), ...headers } }),
  })
  const [approval] = (await client.listApprovals()).items
  if (approval === undefined) throw new Error('no approval')
  const stop = new AbortController()
  const parts: StreamPart[] = []
  const { at } = await client.listSessions()
  const following = (async () => {
    for await (const part of client.events({
      after: at,
      index: true,
      root: ['lead-1'],
      signal: stop.signal,
    })) {
      parts.push(part)
      if (part.kind === 'event' && part.event.type === 'approval.changed') stop.abort()
    }
  })()
  const params = { id: approval.id }
  await expect(
    client.decide({ params, body: { decision: 'approve', action: 'rm -rf /' } }),
  ).rejects.toMatchObject({
    status: 409,
  })
  const result = await client.decide({ params, body: { decision: 'approve', action: 'npm test' } })
  expect(result).toMatchObject({ recorded: true, decided: true, by: 'ann' })
  await following
  const changed = parts.flatMap((part) =>
    part.kind === 'event' && part.event.type === 'approval.changed' ? [part.event.approval] : [],
  )
  expect(changed).toEqual([expect.objectContaining({ status: 'approved', decidedBy: 'ann' })])
  await expect(
    client.decide({ params, body: { decision: 'reject', action: 'npm test' } }),
  ).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('already approved once by ann'),
  })
})

it('sends the entries that another process appends', async () => {
  const home = temporaryHome()
  writeSession(home, 'lead-1', [{ role: 'user', content: 'Check the cache.' }])
  const page = await testPage(home)
  await page.settled()
  const headers = await page.login()
  const client = createClient({
    address: page.address,
    fetch: (url, init) => fetch(url, { ...init, headers: { ...(init?.headers as object), ...headers } }),
  })
  const { at } = await client.getTree({ params: { id: 'lead-1' } })
  const stop = new AbortController()
  const file = home.at('sessions', 'lead-1.session.yaml')
  const before = readFileSync(file, 'utf8')
  writeSession(home, 'lead-1', askingEntries())
  const added = readFileSync(file, 'utf8').slice(before.length)
  writeSession(home, 'lead-1', [{ role: 'user', content: 'Check the cache.' }])
  const types: string[] = []
  for await (const part of client.events({ after: at, root: ['lead-1'], signal: stop.signal })) {
    if (part.kind === 'open') appendFileSync(file, added)
    if (part.kind !== 'event') continue
    if (part.event.type === 'event') types.push(part.event.event.type)
    if (types.includes('person.asked')) stop.abort()
  }
  expect(types).toEqual(expect.arrayContaining(['reply.received', 'call.judged', 'person.asked']))
})

it('does not write a rule if the home is not trusted', async () => {
  const home = temporaryHome()
  const entries = askingEntries('npm test') as Any[]
  entries[3].detail.grants = ['command: npm test · /usr/bin/npm · in .']
  writeSession(home, 'lead-1', entries)
  const user = home.folder('user')
  const page = await testPage(home, {
    environment: { env: { HOME: user, PATH: process.env['PATH'] }, cwd: user, warn: () => {} },
  })
  const headers = await page.login()
  const [{ id, action }] = (await send(page.address, '/api/approvals', { headers })).json<Any>().items
  const body = { decision: 'approve', action, for: 'rule' }
  const target = `/api/approvals/${id}/decision`
  const answer = await send(page.address, target, { method: 'POST', headers, body })
  expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('not trusted')])
  expect(existsSync(home.at('storage', 'terminal-cmd-allowlist.yaml'))).toBe(false)
  expect(readdirSync(user)).toEqual([])
})

it('shows the agents of the folder that contains the home, and names the home for commands', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-place-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const agents = path.join(folder, '.github', 'agents')
  mkdirSync(agents, { recursive: true })
  writeFileSync(
    path.join(agents, 'reader.agent.md'),
    '---\nname: reader\ndescription: Reads\n---\nYou read.\n',
  )
  const home = openHome({ cwd: folder, env: {} })
  home.folder('sessions')
  const page = await testPage(home)
  const headers = await page.login()
  const { items } = (await send(page.address, '/api/agents', { headers })).json<Any>()
  expect(items.map(({ name }: Any) => name)).toContain('reader')
  const me = (await send(page.address, '/api/me', { headers })).json<Any>()
  expect(me.homeFlag).toBe(path.join(folder, '.cadre'))
})

it('omits the flag if a command in the folder finds the home', async () => {
  const home = temporaryHome()
  const environment = { env: { CADRE_HOME: home.path, CADRE_TRUST: '1' }, cwd: '/', warn: () => {} }
  const page = await testPage(home, { environment })
  const me = (await send(page.address, '/api/me', { headers: await page.login() })).json<Any>()
  expect(me).not.toHaveProperty('homeFlag')
})

it('takes the workspace from the newest run if the home has another name', () => {
  const home = temporaryHome()
  const folder = path.dirname(home.path)
  expect(workspaceOf(home, '/')).toBe('/')
  writeSession(home, 'lead-1', [{ role: 'user', content: 'Check.' }], { workspace: folder })
  writeSession(home, 'gone-1', [{ role: 'user', content: 'Check.' }], {
    workspace: path.join(folder, 'gone'),
  })
  expect(workspaceOf(home, '/')).toBe(folder)
})
