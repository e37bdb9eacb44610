import { readFileSync, writeFileSync } from 'node:fs'
import { markUnsandboxedCommand } from '@cadre/home'
import { call, say } from '@cadre/testing'
import { expect, it } from 'vitest'
import { holdTool, sessionText, until } from '../../daemon/daemon.spec-helpers.ts'
import { startTestServer, type TestServer } from './routes.spec-helpers.ts'

async function started({ client, home }: TestServer, work: string): Promise<string> {
  const { id } = await client.startSession({ body: { work, agent: 'worker' } })
  await until(() => /^status: completed/m.test(sessionText(home, id)))
  return id
}

it('previews a rewind, removes exactly those bytes, and continues from there', async () => {
  const hold = holdTool()
  const server = await startTestServer({
    tools: [hold.tool],
    lanes: { worker: [say('one'), call(['hold', {}]), say('two')] },
  })
  const { client, home } = server
  const id = await started(server, 'First.')
  const params = { id }
  const first = sessionText(home, id)
  await client.sendMessage({ params, body: { text: 'Second.' } })
  await until(() => hold.waiting() === 1)
  const running = await client.getJournal({ params })
  const rewind = (seq: number, ifMatch: string, dryRun = false) =>
    client.rewindSession({ params, query: { dryRun }, body: { seq }, ifMatch })
  await expect(rewind(2, running.etag)).rejects.toMatchObject({ status: 409 })
  hold.letGo()
  await until(() => sessionText(home, id).includes('content: two'))
  await until(async () => (await client.getSession({ params })).report !== undefined)
  const { etag } = await client.getJournal({ params })
  const { entries } = await client.listEntries({ params })
  const result = entries.find(({ role }) => role === 'tool_result')
  const reply = entries.find((entry) => entry.role === 'assistant' && entry.tool_calls !== undefined)
  const before = sessionText(home, id)
  // The entry is in the middle of a round whose call has run, so the whole round is removed.
  const preview = await rewind(result?.seq ?? 0, etag, true)
  expect(preview).toEqual({
    seq: reply?.seq,
    removed: entries.length - (reply?.seq ?? 0) + 1,
    children: [],
    commits: [],
    files: [],
  })
  expect(sessionText(home, id)).toBe(before)
  await expect(rewind(1, etag)).rejects.toMatchObject({ status: 400 })
  await expect(rewind(999, etag)).rejects.toMatchObject({ status: 404 })
  await expect(rewind(4, running.etag)).rejects.toMatchObject({ status: 412 })
  const second = entries.find((entry) => entry.role === 'user' && entry.content === 'Second.')
  await rewind(second?.seq ?? 0, etag)
  // The remaining entries end with the first turn, so the session does not continue.
  const stamp = /^updated: .*$/m
  expect(sessionText(home, id).replace(stamp, '')).toBe(first.replace(stamp, ''))
  const now = await client.getJournal({ params })
  const last = (await client.listEntries({ params })).entries.at(-1)?.seq ?? 0
  expect(server.daemon.models.requests).toHaveLength(3)
  await rewind(last - 1, now.etag)
  await until(() => server.daemon.models.requests.length === 4)
  await until(() => /^status: completed/m.test(sessionText(home, id)))
})

it('forks a session with the conversation before an entry, with another agent', async () => {
  const server = await startTestServer({
    agents: ['worker', 'other'],
    lanes: { worker: [say('one')], other: [say('differently')] },
  })
  const { client, home } = server
  const id = await started(server, 'First.')
  const before = readFileSync(home.at('sessions', `${id}.session.yaml`))
  const fork = { params: { id }, body: { seq: 3, work: 'Now so.', agent: 'other' }, idempotencyKey: 'fork-1' }
  expect(await client.forkSession(fork)).toEqual({ id: 'fork-1' })
  expect(await client.forkSession(fork)).toEqual({ id: 'fork-1' })
  await until(() => sessionText(home, 'fork-1').includes('differently'))
  const { entries } = await client.listEntries({ params: { id: 'fork-1' } })
  expect(entries.slice(0, 3)).toMatchObject([
    { role: 'user', content: 'First.', earlier: true },
    { role: 'assistant', content: 'one', earlier: true },
    { role: 'user', content: 'Now so.' },
  ])
  expect(readFileSync(home.at('sessions', `${id}.session.yaml`))).toEqual(before)
  await expect(client.forkSession({ params: { id }, body: { seq: 99, work: 'x' } })).rejects.toMatchObject({
    status: 404,
  })
})

it('saves an edited journal only for an admin, only if it is valid, and only if nobody else has changed it', async () => {
  const server = await startTestServer({ lanes: { worker: [say('one')] } })
  const { home, client, ask, logIn } = server
  const id = await started(server, 'First.')
  const { text, etag } = await client.getJournal({ params: { id } })
  const put = async (content: string, headers: Record<string, string>) => {
    const sent = { method: 'PUT', body: { text: content }, headers: { 'if-match': `"${etag}"`, ...headers } }
    return ask(`/api/sessions/${id}/journal`, sent)
  }
  const edited = text.replace('content: one', 'content: eins')
  expect((await put(edited, {})).status).toBe(403)
  const admin = await logIn('root', ['admin'])
  const faulty = await put(text.replace('  - seq: 2', ' - seq: 2'), admin)
  expect([faulty.status, faulty.text]).toEqual([400, expect.stringMatching(/Line \d+: /)])
  const renamed = await put(text.replace(`session_id: ${id}`, 'session_id: ../x'), admin)
  expect([renamed.status, renamed.text]).toEqual([400, expect.stringContaining('session_id must stay')])
  expect(sessionText(home, id)).toBe(text)
  // The command could have sent the request, and a journal contains approvals.
  const ended = markUnsandboxedCommand(home, 'test')
  expect((await put(edited, admin)).status).toBe(423)
  ended()
  expect((await put(edited, admin)).json()).toEqual({ entries: 3 })
  expect(sessionText(home, id)).toBe(edited)
  expect((await put(text, admin)).status).toBe(412)
  writeFileSync(home.at('sessions', `${id}.session.yaml`), text)
})
