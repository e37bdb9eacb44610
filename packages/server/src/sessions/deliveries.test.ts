import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Home } from '@cadre/home'
import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import {
  holdTool,
  sessionText,
  type TestDaemonOptions,
  template,
  temporaryHome,
  testDaemon,
  until,
} from '../daemon/daemon.spec-helpers.ts'
import { createInboxDuty } from '../inbox/create-inbox-duty.ts'
import { sessionName } from '../inbox/inbox-session-name.ts'
import type { SessionKeeper } from '../session-keeper.ts'

const routes = 'routes:\n  - {from: chat, to: worker, conversation: "{thread}"}\n'
const queuedIn = (home: Home) => readdirSync(home.folder('storage', 'requests', 'queued'))
const messagesBySession = (home: Home, id: string) =>
  [...sessionText(home, id).matchAll(/^ +message: (\S+)$/gm)].map(([, message]) => message)

/** A daemon with one agent, and the keeper of its duties. */
async function startKeeper(options: TestDaemonOptions, place = temporaryHome()) {
  const { home, workspace } = place
  template(home, 'worker')
  let keeper: SessionKeeper | undefined
  const daemon = testDaemon(home, workspace, {
    ...options,
    duties: (context) => {
      keeper = context.sessions
      return options.duties?.(context) ?? []
    },
  })
  await daemon.start()
  if (keeper === undefined) throw new Error('unreachable: the daemon created no duties')
  return { ...place, daemon, sessions: keeper }
}

test('delivers every line of a conversation whose first start failed on a full disk', async () => {
  const place = temporaryHome()
  const { home } = place
  const inbox = home.folder('inbox')
  writeFileSync(`${inbox}/routes.yaml`, routes)
  let isFull = true
  let attempts = 0
  const { daemon } = await startKeeper(
    {
      lanes: { worker: [say('one'), say('two'), say('three')] },
      duties: (context) => [createInboxDuty(context)],
      opening() {
        attempts += 1
        if (isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC', syscall: 'write' })
      },
    },
    place,
  )
  const received = () => daemon.happenings.filter(({ type }) => type === 'message.received').length
  appendFileSync(`${inbox}/chat.jsonl`, '{"id": "a", "thread": 1, "text": "first"}\n')
  await until(() => attempts > 0 && received() === 1)
  appendFileSync(`${inbox}/chat.jsonl`, '{"id": "b", "thread": 1, "text": "second"}\n')
  await until(() => received() === 2)
  isFull = false
  const id = await until(() => readdirSync(home.folder('sessions'))[0]?.replace('.session.yaml', ''))
  await until(() => messagesBySession(home, id).length === 2)
  expect(messagesBySession(home, id)).toEqual(['inbox/chat/a', 'inbox/chat/b'])
  await until(() => queuedIn(home).length === 0)
  await until(() => daemon.status().problems.length === 0)
})

test.each(['queued', 'queued and heard'] as const)(
  'delivers a line once when the process was killed before the line counted as handled: %s',
  async (left) => {
    const place = temporaryHome()
    const { home } = place
    const message = 'inbox/chat/a'
    const session = sessionName('worker', 'conversation', 'chat', '1')
    const work = { content: 'first', from: 'chat', message }
    if (left === 'queued and heard') {
      const { daemon, sessions } = await startKeeper({ lanes: { worker: [say('one')] } }, place)
      await sessions.tell(session, work, { agent: 'worker' })
      await until(async () => (await sessions.state(session)).kind === 'ended')
      await daemon.stop()
    }
    const request = { kind: 'tell', session, work, begin: { agent: 'worker' } }
    writeFileSync(`${home.folder('storage', 'requests', 'queued')}/00001.json`, JSON.stringify(request))
    const inbox = home.folder('inbox')
    writeFileSync(`${inbox}/routes.yaml`, routes)
    writeFileSync(`${inbox}/chat.jsonl`, '{"id": "a", "thread": 1, "text": "first"}\n')
    const { daemon, sessions } = await startKeeper(
      { lanes: { worker: [say('one'), say('two')] }, duties: (context) => [createInboxDuty(context)] },
      place,
    )
    await until(() => daemon.happenings.some(({ type }) => type === 'message.received'))
    await until(() => queuedIn(home).length === 0)
    await until(async () => (await sessions.state(session)).kind === 'ended')
    expect(messagesBySession(home, session)).toEqual([message])
    expect(sessionText(home, session)).not.toContain('content: two')
  },
)

test('keeps a start queued until the session has recorded its work', async () => {
  let letGo: (() => void) | undefined
  const { home, daemon, sessions } = await startKeeper({
    lanes: { worker: [say('done')] },
    async onLifecycleEvent({ kind }) {
      if (kind === 'session.started')
        await new Promise<void>((resolve) => {
          letGo = resolve
        })
      return undefined
    },
  })
  await sessions.start({ id: 'w', agent: 'worker', work: { content: 'go', message: 'm/1' } })
  const go = await until(() => letGo)
  expect(daemon.events.some(({ type }) => type === 'session.started')).toBe(true)
  expect(queuedIn(home)).toHaveLength(1)
  go()
  await until(() => sessionText(home, 'w').includes('content: done'))
  await until(() => queuedIn(home).length === 0)
  expect(messagesBySession(home, 'w')).toEqual(['m/1'])
})

test('keeps a message queued while the session cannot be run, and delivers it when it can', async () => {
  const { home, daemon, sessions } = await startKeeper({ lanes: { worker: [say('one'), say('two')] } })
  await sessions.tell('w', { content: 'go', message: 'm/1' }, { agent: 'worker' })
  await until(async () => (await sessions.state('w')).kind === 'ended')
  const file = home.at('sessions', 'w.session.yaml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(/^model: .*$/m, 'model: nobody-knows'))
  expect(await sessions.tell('w', { content: 'more', message: 'm/2' })).toBe('queued')
  await until(() => daemon.status().problems.some(({ message }) => message.includes('nobody-knows')))
  expect(await sessions.state('w')).toMatchObject({
    kind: 'running',
    stuck: expect.stringContaining('nobody-knows'),
  })
  expect(await sessions.delivery('w', 'm/2')).toBe('queued')
  writeFileSync(file, text)
  await until(() => sessionText(home, 'w').includes('content: two'))
  expect(messagesBySession(home, 'w')).toEqual(['m/1', 'm/2'])
  await until(() => queuedIn(home).length === 0)
  await until(() => daemon.status().problems.length === 0)
})

test('runs a hook once for a message that it refuses', async () => {
  const asked: string[] = []
  const { home, daemon, sessions } = await startKeeper({
    lanes: { worker: [say('one'), say('two')] },
    async onLifecycleEvent(moment) {
      if (moment.kind !== 'prompt.given') return undefined
      asked.push(moment.prompt)
      return moment.prompt === 'bad' ? { blocked: 'not this' } : undefined
    },
  })
  await sessions.tell('w', { content: 'go', message: 'm/1' }, { agent: 'worker' })
  await until(async () => (await sessions.state('w')).kind === 'ended')
  await sessions.tell('w', { content: 'bad', message: 'm/2' })
  await until(() => daemon.happenings.some(({ type }) => type === 'message.refused'))
  await until(async () => (await sessions.state('w')).kind === 'ended')
  expect(await sessions.delivery('w', 'm/2')).toBe('delivered')
  await sessions.tell('w', { content: 'bad', message: 'm/2' })
  await sessions.tell('w', { content: 'good', message: 'm/3' })
  await until(() => sessionText(home, 'w').includes('content: two'))
  expect(asked).toEqual(['go', 'bad', 'good'])
})

test('delivers all queued messages to a busy session at its next round', async () => {
  const hold = holdTool()
  const { home, daemon, sessions } = await startKeeper({
    tools: [hold.tool],
    lanes: { worker: [call(['hold', {}]), say('all of it')] },
  })
  await sessions.tell('w', { content: 'go', message: 'm/1' }, { agent: 'worker' })
  await until(() => hold.waiting() === 1)
  for (const id of [2, 3, 4]) await sessions.tell('w', { content: `more ${id}`, message: `m/${id}` })
  expect(queuedIn(home)).toHaveLength(3)
  hold.letGo()
  await until(() => sessionText(home, 'w').includes('all of it'))
  expect(messagesBySession(home, 'w')).toEqual(['m/1', 'm/2', 'm/3', 'm/4'])
  expect(daemon.models.requests).toHaveLength(2)
  await until(() => queuedIn(home).length === 0)
})

test('drops the queued messages of a cancelled session', async () => {
  const hold = holdTool()
  const { home, sessions } = await startKeeper({
    tools: [hold.tool],
    lanes: { worker: [call(['hold', {}]), say('done')] },
  })
  await sessions.tell('w', { content: 'go', message: 'm/1' }, { agent: 'worker' })
  await until(() => hold.waiting() === 1)
  await sessions.tell('w', { content: 'more', message: 'm/2' })
  expect(await sessions.cancel('w', 'nobody wants it')).toBe(true)
  expect(queuedIn(home)).toEqual([])
  expect(await sessions.state('w')).toMatchObject({ kind: 'ended', outcome: 'cancelled' })
})

test('cancelling a session while it is being opened stops it before it asks its model', async () => {
  let cancelled: Promise<boolean> | undefined
  const { daemon, sessions } = await startKeeper({
    lanes: { worker: [say('too late')] },
    opening() {
      cancelled ??= sessions.cancel('w', 'the task was removed')
    },
  })
  await sessions.start({ id: 'w', agent: 'worker', work: { content: 'go' } })
  await until(() => cancelled !== undefined)
  expect(await cancelled).toBe(true)
  await until(() => daemon.status().sessions.running.length === 0)
  expect(await sessions.state('w')).toMatchObject({ kind: 'ended', outcome: 'cancelled' })
  expect(daemon.models.requests).toEqual([])
})
