import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { namesIn } from '@cadre/disk'
import { call, say } from '@cadre/testing'
import { expect, it } from 'vitest'
import { holdTool, sessionText, template, until } from '../../daemon/daemon.spec-helpers.ts'
import { askingEntries, send, temporaryHome, testPage, writeSession } from '../page.spec-helpers.ts'
import { peopleByRole, tokenOf } from '../site.spec-helpers.ts'
import { hostileNames, startTestServer } from './routes.spec-helpers.ts'

it("starts a session once per key, with the login's name, and sends it messages", async () => {
  const { client, home, daemon, ask } = await startTestServer({
    lanes: { worker: [say('first'), say('second')] },
  })
  const start = { body: { work: 'Do it.', agent: 'worker' }, idempotencyKey: 'my-run' }
  const [one, two] = await Promise.all([client.startSession(start), client.startSession(start)])
  expect([one, two]).toEqual([{ id: 'my-run' }, { id: 'my-run' }])
  await until(() => /^status: completed/m.test(sessionText(home, 'my-run')))
  expect(await client.startSession(start)).toEqual({ id: 'my-run' })
  expect(sessionText(home, 'my-run')).toMatch(/^ {2}started_by: \S/m)
  await expect(client.startSession({ ...start, body: { work: 'Other.' } })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('was used for other work'),
  })
  const message = { params: { id: 'my-run' }, body: { text: 'And now?' }, idempotencyKey: 'say-1' }
  await Promise.all([client.sendMessage(message), client.sendMessage(message)])
  await until(() => sessionText(home, 'my-run').includes('second'))
  await client.sendMessage(message)
  expect(sessionText(home, 'my-run').match(/And now\?/g)).toHaveLength(1)
  expect(daemon.models.requests).toHaveLength(2)
  expect(daemon.happenings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'session.requested', by: 'ann', session: 'my-run' }),
      expect.objectContaining({ type: 'message.sent', by: 'ann', session: 'my-run' }),
    ]),
  )
  const audit = await ask('/api/audit?type=session.requested')
  expect(audit.json()).toMatchObject({ items: [{ type: 'session.requested', by: 'ann' }] })
})

it('rejects unknown agents, folders outside the workspace, and additional permissions', async () => {
  const { client, workspace } = await startTestServer()
  mkdirSync(path.join(workspace, 'inside'))
  symlinkSync('/', path.join(workspace, 'link'))
  const refused = async (body: object, status: number, message: string) =>
    expect(client.startSession({ body: { work: 'Do it.', ...body } })).rejects.toMatchObject({
      status,
      message: expect.stringContaining(message),
    })
  await refused({ agent: 'nobody' }, 404, 'no agent named "nobody"')
  await refused({ team: 'nothing' }, 404, 'There is no team')
  await refused({ team: 'coordinator' }, 409, 'cadre up --team')
  await refused({ workspace: '/etc' }, 403, 'The workspace must be')
  await refused({ workspace: '..' }, 403, 'The workspace must be')
  await refused({ workspace: 'link' }, 403, 'The workspace must be')
  await refused({ workspace: 'missing' }, 404, 'There is no folder')
  await refused({ allow: ['execute'] }, 403, 'cadre up --allow')
  await refused({ work: '  ' }, 400, 'body')
  await refused({ unknown: 1 }, 400, 'unknown')
})

it('starts a read-only session in a folder inside the workspace, cancels it and resumes it', async () => {
  const hold = holdTool()
  const { client, home, workspace, ask } = await startTestServer({
    tools: [hold.tool],
    lanes: { worker: [call(['hold', {}]), say('later')] },
  })
  mkdirSync(path.join(workspace, 'inside'))
  const { id } = await client.startSession({
    body: { work: 'Wait.', agent: 'worker', workspace: 'inside', allow: ['read'] },
  })
  await until(() => hold.waiting() === 1)
  const params = { id }
  expect(await client.getSession({ params })).toMatchObject({
    workspace: path.join(workspace, 'inside'),
    controls: { readOnly: true },
  })
  expect((await client.resumeSession({ params })).id).toBe(id)
  const handing = client.handOff({ params, body: { handoff: 0 } })
  await expect(handing).rejects.toMatchObject({ status: 409, message: expect.stringContaining('is running') })
  expect(await client.cancelSession({ params, body: { reason: 'enough' } })).toEqual({ cancelled: true })
  await until(() => sessionText(home, id).includes('outcome: cancelled'))
  expect(await client.cancelSession({ params, body: {} })).toEqual({ cancelled: false })
  await client.resumeSession({ params })
  await until(() => sessionText(home, id).includes('outcome: completed'))
  expect(sessionText(home, id)).toContain('later')
  await expect(client.resumeSession({ params })).rejects.toMatchObject({
    status: 409,
    message: `Session ${id} has ended. Send it a message to continue it.`,
  })
  for (const name of hostileNames)
    for (const action of ['cancel', 'resume', 'messages', 'handoff', 'fork']) {
      const bodies: Record<string, object> = {
        cancel: {},
        messages: { text: 'x' },
        handoff: { handoff: 0 },
        fork: { seq: 1, work: 'x' },
      }
      const sent = { method: 'POST', ...(bodies[action] && { body: bodies[action] }) }
      const { status } = await ask(`/api/sessions/${name}/${action}`, sent)
      expect([name, action, [400, 404, 405].includes(status)]).toEqual([name, action, true])
    }
})

it('returns the reason if a session cannot be resumed', async () => {
  const { client, home, daemon, ask } = await startTestServer({
    agents: ['worker', 'helper'],
    lanes: { worker: [say('done')] },
    prepare(where) {
      const messages = 'messages:\n  - role: user\n    content: Go.\n'
      const write = (id: string, head: string) =>
        writeFileSync(`${where.folder('sessions')}/${id}.session.yaml`, `${head}\n${messages}`)
      write('foreign', 'agent_id: worker\nmodel: scripted\nmetadata: {workspace: /etc}')
      write('lost', 'agent_id: worker\nmodel: nobody-knows')
    },
    model: { isFirm: true },
  })
  const refused = async (id: string, reason: string) => {
    const answer = await ask(`/api/sessions/${id}/resume`, { method: 'POST' })
    expect([answer.status, answer.headers['content-type']]).toEqual([409, 'application/problem+json'])
    expect(answer.json<{ title: string }>().title).toContain(reason)
  }
  const reason = "he session's workspace /etc is neither in"
  await until(() => daemon.status().problems.some(({ message }) => message.includes(reason)))
  await refused('foreign', `T${reason}`)
  await expect(
    client.sendMessage({ params: { id: 'foreign' }, body: { text: 'And now?' } }),
  ).rejects.toMatchObject({ status: 409, message: expect.stringContaining(reason) })
  await until(async () => (await client.getSession({ params: { id: 'lost' } })).row.state !== 'working')
  await refused('lost', 'nobody-knows')
  const resumed = daemon.happenings.filter(({ type, by }) => type === 'session.resumed' && by === 'ann')
  expect(resumed).toEqual([])
  expect(daemon.models.requests).toHaveLength(0)
  expect(sessionText(home, 'foreign')).not.toContain('session.resumed')
})

it('does not resume an ended session in a tree that is running', async () => {
  const hold = holdTool()
  const { client, home } = await startTestServer({
    agents: ['worker', 'helper'],
    tools: [hold.tool],
    lanes: {
      worker: [
        call(['delegateWork', { agentName: 'helper', workDescription: 'w', reportExpectations: 'r' }]),
        call(['hold', {}]),
        say('done'),
      ],
      helper: [say('helped')],
    },
  })
  await client.startSession({ body: { work: 'Go.', agent: 'worker' }, idempotencyKey: 'run' })
  await until(() => hold.waiting() === 1)
  const helper = namesIn(home.at('sessions')).find((name) => name.startsWith('helper')) ?? ''
  await expect(client.resumeSession({ params: { id: helper.split('.', 1)[0] ?? '' } })).rejects.toMatchObject(
    {
      status: 409,
      code: 'owned',
    },
  )
  hold.letGo()
  await until(() => sessionText(home, 'run').includes('outcome: completed'))
})

it('accepts a handoff with the conversation', async () => {
  const handoffs = 'handoffs:\n  - label: Build it\n    agent: worker\n    prompt: Build the plan.\n'
  const { client, home, daemon } = await startTestServer({
    prepare: (where) => template(where, 'planner', handoffs),
    lanes: { planner: [say('the plan')], worker: [say('built')] },
  })
  const { id } = await client.startSession({ body: { work: 'Plan it.', agent: 'planner' } })
  const params = { id }
  await until(async () => (await client.getSession({ params })).handoffs.length > 0)
  await expect(client.handOff({ params, body: { handoff: 3 } })).rejects.toMatchObject({ status: 404 })
  const started = await client.handOff({ params, body: { handoff: 0 }, idempotencyKey: 'built-it' })
  expect(started).toEqual({ id: 'built-it' })
  await until(() => sessionText(home, 'built-it').includes('outcome: completed'))
  const { entries } = await client.listEntries({ params: started })
  expect(entries).toMatchObject([
    { role: 'user', content: 'Plan it.', earlier: true },
    { role: 'assistant', content: 'the plan', earlier: true },
    { role: 'user', content: 'Build the plan.' },
    { role: 'assistant', content: 'built' },
    { role: 'event', type: 'session.ended' },
  ])
  expect(daemon.models.requests).toHaveLength(2)
})

it('explains what to do if no daemon is running', async () => {
  const home = temporaryHome()
  writeSession(home, 'lead-1', askingEntries())
  const page = await testPage(home)
  await page.settled()
  const headers = await page.login()
  for (const [method, target, body] of [
    ['POST', '/api/sessions', { work: 'x' }],
    ['POST', '/api/sessions/lead-1/messages', { text: 'x' }],
    ['POST', '/api/tasks', { title: 'x' }],
    ['POST', '/api/workspaces/lead-1/merge', undefined],
    ['POST', '/api/inbox/slack', { line: {} }],
  ] as const) {
    const answer = await send(page.address, target, { method, headers, body })
    expect([target, answer.status, answer.text]).toEqual([target, 409, expect.stringContaining('cadre up')])
  }
})

it('does not return a session to another person who sends the same key, or to a request with fewer permissions', async () => {
  const { ask, address, home } = await startTestServer({
    people: () => peopleByRole,
    lanes: { worker: [say('one')] },
  })
  const headers = { 'idempotency-key': 'shared' }
  const body = { work: 'Do it.', agent: 'worker' }
  const target = '/api/sessions'
  expect((await ask(target, { method: 'POST', headers, body })).status).toBe(202)
  await until(() => /^status: completed/m.test(sessionText(home, 'shared')))
  expect((await ask(target, { method: 'POST', headers, body })).status).toBe(202)
  expect((await ask(target, { method: 'POST', headers, body: { ...body, allow: ['read'] } })).status).toBe(
    409,
  )
  const other = { ...headers, authorization: `Bearer ${tokenOf('operator')}` }
  expect((await send(address, target, { method: 'POST', headers: other, body })).status).toBe(409)
})
