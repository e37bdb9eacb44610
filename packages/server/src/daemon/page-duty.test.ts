import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Client, createClient, type StreamEvent } from '@cadre/api'
import { defineTool, object, type Rule, type Tool } from '@cadre/core'
import { type Home, markUnsandboxedCommand } from '@cadre/home'
import { call, say } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { writeLogin } from '../http/guard/login-file.ts'
import { send } from '../http/page.spec-helpers.ts'
import { createSharedHttp, type SharedHttp } from '../http/shared-http.ts'
import { createDaemonPage } from './create-daemon-page.ts'
import { template, temporaryHome, testDaemon, until } from './daemon.spec-helpers.ts'
import type { DaemonOptions } from './daemon.ts'

/** The page of a test daemon, on a free port. */
function pageOptions(http: SharedHttp = createSharedHttp()): Pick<DaemonOptions, 'page'> {
  const files = mkdtempSync(path.join(tmpdir(), 'cadre-page-files-'))
  onTestFinished(() => rmSync(files, { recursive: true, force: true }))
  const environment = { env: { HOME: files }, cwd: files, warn: () => {} }
  return { page: (parts) => createDaemonPage(parts, http, { environment, version: '0.0.0', files }) }
}

async function logIn(
  home: Home,
  address: string,
): Promise<{ client: Client; headers: Record<string, string> }> {
  const secret = writeLogin(home, { by: 'ann', roles: ['operator', 'approver'] })
  const answer = await send(address, '/api/login', { method: 'POST', body: { secret } })
  const cookie = String(answer.headers['set-cookie']?.[0]).split(';', 1)[0] ?? ''
  const headers = { cookie, 'x-cadre-key': answer.json<{ key: string }>().key }
  const client = createClient({
    address,
    fetch: (url, init) => fetch(url, { ...init, headers: { ...(init?.headers as object), ...headers } }),
  })
  return { client, headers }
}

const deploy = defineTool({
  name: 'deploy',
  description: 'Deploys',
  class: 'execute',
  effect: 'execute',
  input: object({}),
  run: async () => ({ content: 'deployed' }),
}) as unknown as Tool
const ask: Rule = {
  by: 'policy',
  name: 'ask',
  judge: ({ tool }: { tool: Tool }) =>
    tool.name === 'deploy'
      ? { kind: 'ask', by: 'policy', rule: 'ask', reason: 'it deploys' }
      : { kind: 'allow', by: 'policy', rule: 'rest' },
} as unknown as Rule

test('listens when a login appears, follows live sessions, and resumes one after a decision', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  let start: ((id: string) => Promise<void>) | undefined
  const daemon = testDaemon(home, workspace, {
    tools: [deploy],
    rules: [ask],
    lanes: { worker: [call(['deploy', {}]), say('it is out')] },
    settings: { port: 0 },
    duties: ({ sessions }) => {
      start = (id) => sessions.start({ id, agent: 'worker', work: { content: 'Deploy it.' } })
      return []
    },
    ...pageOptions(),
  })
  await daemon.start()
  expect(daemon.status().page).toBeUndefined()
  writeLogin(home, { by: 'nobody', roles: ['viewer'] })
  const address = await until(() => daemon.status().page)
  const { client } = await logIn(home, address)
  expect((await client.me()).daemon).toBe(true)
  const { at } = await client.listSessions()
  const stop = new AbortController()
  const seen: StreamEvent[] = []
  const following = (async () => {
    const options = { after: at, index: true, root: ['w-1'], signal: stop.signal }
    for await (const part of client.events(options)) if (part.kind === 'event') seen.push(part.event)
  })()
  await start?.('w-1')
  const approval = await until(async () => (await client.listApprovals()).items[0])
  expect(approval).toMatchObject({ session: 'w-1', agent: 'worker', type: 'deploy', why: 'it deploys · ask' })
  await until(() => daemon.status().approvals.length === 1)
  await until(() => seen.some(({ type }) => type === 'approval.asked'))
  const release = markUnsandboxedCommand(home, 'test')
  const body = { decision: 'approve', action: approval.action }
  await expect(client.decide({ params: { id: approval.id }, body })).rejects.toMatchObject({ status: 423 })
  const secret = writeLogin(home, { by: 'agent', roles: ['admin'] })
  const refused = await send(address, '/api/login', { method: 'POST', body: { secret } })
  expect(refused.status).toBe(423)
  release()
  await client.decide({ params: { id: approval.id }, body })
  const row = await until(async () => {
    const found = (await client.listSessions()).items.find(({ id }) => id === 'w-1')
    return found?.state === 'ended' && found
  })
  expect(row).toMatchObject({ outcome: 'completed', subtree: { calls: 1, waiting: 0 } })
  await until(() => seen.some((event) => event.type === 'row' && event.row.state === 'ended'))
  const types = new Set(seen.map((event) => (event.type === 'event' ? event.event.type : event.type)))
  for (const type of [
    'row',
    'session.started',
    'reply.received',
    'person.asked',
    'approval.asked',
    'session.ended',
  ])
    expect(types).toContain(type)
  const detail = await client.getCall({ params: { id: 'w-1', call: approval.call } })
  expect(detail).toMatchObject({ status: 'done', person: { by: 'ann', decision: 'approve' } })
  stop.abort()
  await following
})

test('shares its server with channels, which still refuse browsers', async () => {
  const { home, workspace } = temporaryHome()
  const http = createSharedHttp()
  const daemon = testDaemon(home, workspace, { settings: { port: 0 }, ...pageOptions(http) })
  const problems = { report: () => {}, list: () => [] }
  const posts = new Map([['/hooks/x', async () => ({ status: 200, body: 'taken' })]])
  const channel = await http.openPosts({ host: undefined, port: 0, hosts: undefined, problems }, posts)
  onTestFinished(() => channel.close())
  const post = (headers: Record<string, string>) =>
    send(channel.address, '/hooks/x', { method: 'POST', body: {}, headers }).then(({ status }) => status)
  expect((await send(channel.address, '/api/me')).status).toBe(404)
  mkdirSync(home.at('storage', 'logins'), { recursive: true })
  writeLogin(home, { by: 'ann', roles: ['viewer'] })
  await daemon.start()
  const address = await until(() => daemon.status().page)
  expect(address).toBe(channel.address)
  expect((await send(address, '/api/me')).status).toBe(401)
  expect([await post({}), await post({ origin: address })]).toEqual([200, 403])
  await daemon.stop()
  expect([await post({}), (await send(address, '/api/me')).status]).toEqual([200, 404])
})
