import { readdirSync, writeFileSync } from 'node:fs'
import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import {
  holdTool,
  sessionText,
  type TestDaemon,
  template,
  temporaryHome,
  testDaemon,
  until,
  writeEntry,
} from '../daemon/daemon.spec-helpers.ts'
import type { DaemonContext } from '../daemon-context.ts'
import type { SessionKeeper } from '../session-keeper.ts'

/** A daemon, and the keeper of its duties. */
function keeperOf(start: (duties: (context: DaemonContext) => []) => TestDaemon): {
  daemon: TestDaemon
  sessions: () => SessionKeeper
} {
  let given: DaemonContext | undefined
  const daemon = start((context) => {
    given = context
    return []
  })
  return {
    daemon,
    sessions: () => {
      if (given === undefined) throw new Error('it has not been started')
      return given.sessions
    },
  }
}

const content = (text: string, message?: string) => ({ content: text, ...(message && { message }) })

test('limits parallel sessions, queues the others, and completes all of them', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  const hold = holdTool()
  const { daemon, sessions } = keeperOf((duties) =>
    testDaemon(home, workspace, {
      duties,
      settings: { parallel: 2 },
      tools: [hold.tool],
      lanes: { worker: [call(['hold', {}]), say('done')] },
    }),
  )
  await daemon.start()
  const ids = ['w-1', 'w-2', 'w-3', 'w-4', 'w-5']
  const rested: string[] = []
  sessions().onRest((session) => rested.push(session))
  for (const id of ids) await sessions().start({ id, agent: 'worker', work: content('go') })
  for (const id of ids) await sessions().start({ id, agent: 'worker', work: content('go') })
  await until(() => hold.waiting() === 2)
  expect(daemon.status().sessions).toMatchObject({ running: ['w-1', 'w-2'], queued: ['w-3', 'w-4', 'w-5'] })
  expect(await sessions().state('w-5')).toEqual({ kind: 'running' })
  for (let left = 5; left > 0; left -= Math.min(left, 2)) {
    await until(() => hold.waiting() === Math.min(left, 2))
    hold.letGo()
  }
  await until(() => rested.length === 5)
  expect(hold.peak()).toBe(2)
  expect(rested.toSorted()).toEqual(ids)
  for (const id of ids)
    expect(await sessions().state(id)).toEqual({ kind: 'ended', outcome: 'completed', text: 'done' })
  expect(daemon.models.requests).toHaveLength(10)
})

test('rejects an unknown agent or model immediately, and queues nothing', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker', 'model: nobody-knows\n')
  const { daemon, sessions } = keeperOf((duties) =>
    testDaemon(home, workspace, { duties, model: { isFirm: true } }),
  )
  await daemon.start()
  await expect(sessions().start({ id: 'x', agent: 'wurker', work: content('go') })).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('worker'),
  })
  await expect(sessions().start({ id: 'y', agent: 'worker', work: content('go') })).rejects.toMatchObject({
    code: 'unknown_model',
  })
  expect(await sessions().state('y')).toEqual({ kind: 'absent' })
  expect(readdirSync(home.folder('storage', 'requests', 'queued'))).toEqual([])
})

test('keeps a request queued while its model is missing', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker', 'model: nobody-knows\n')
  const request = { kind: 'start', request: { id: 'z', agent: 'worker', work: { content: 'go' } } }
  writeFileSync(`${home.folder('storage', 'requests', 'queued')}/00001.json`, JSON.stringify(request))
  const first = testDaemon(home, workspace, { model: { isFirm: true } })
  await first.start()
  expect(first.status().problems).toMatchObject([{ message: expect.stringContaining('nobody-knows') }])
  await first.stop()
  template(home, 'worker')
  const second = testDaemon(home, workspace, { lanes: { worker: [say('here')] } })
  await second.start()
  await until(() => sessionText(home, 'z').includes('here'))
})

test('delivers a message once per id to a running, ended or new session', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  const hold = holdTool()
  const { daemon, sessions } = keeperOf((duties) =>
    testDaemon(home, workspace, {
      duties,
      tools: [hold.tool],
      lanes: { worker: [call(['hold', {}]), say('first'), say('second'), say('third')] },
    }),
  )
  await daemon.start()
  expect(await sessions().tell('w', { content: 'x', message: 'm/0' })).toBe('missing')
  await sessions().start({ id: 'w', agent: 'worker', work: content('go') })
  await until(() => hold.waiting() === 1)
  const told = Promise.all([
    sessions().tell('w', { content: 'while it runs', from: 'cadre', message: 'm/1' }),
    sessions().tell('w', { content: 'while it runs', from: 'cadre', message: 'm/1' }),
  ])
  expect(await told).toEqual(['queued', 'queued'])
  expect(await sessions().delivery('w', 'm/1')).toBe('queued')
  hold.letGo()
  await until(async () => (await sessions().delivery('w', 'm/1')) === 'delivered')
  await until(() => daemon.status().sessions.running.length === 0)
  expect(await sessions().tell('w', { content: 'after its end', from: 'cadre', message: 'm/2' })).toBe(
    'queued',
  )
  expect(await sessions().tell('w', { content: 'after its end', from: 'cadre', message: 'm/2' })).toBe(
    'queued',
  )
  await until(() => sessionText(home, 'w').includes('content: second'))
  await until(() => daemon.status().sessions.running.length === 0)
  const text = sessionText(home, 'w')
  expect(text.match(/content: while it runs/g)).toHaveLength(1)
  expect(text.match(/content: after its end/g)).toHaveLength(1)
  expect(readdirSync(home.at('storage', 'requests', 'queued'))).toEqual([])
})

test('a cancelled session stays ended after a restart, until it receives a message', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  const hold = holdTool()
  const lanes = { worker: [call(['hold', {}]), say('again')] }
  const one = keeperOf((duties) => testDaemon(home, workspace, { duties, tools: [hold.tool], lanes }))
  await one.daemon.start()
  await one.sessions().start({ id: 'w', agent: 'worker', work: content('go') })
  await until(() => hold.waiting() === 1)
  expect(await one.sessions().cancel('w', 'nobody wants it')).toBe(true)
  expect(await one.sessions().state('w')).toMatchObject({ kind: 'ended', outcome: 'cancelled' })
  expect(await one.sessions().cancel('w', 'once more')).toBe(false)
  await one.daemon.stop()
  const two = keeperOf((duties) => testDaemon(home, workspace, { duties, tools: [hold.tool], lanes }))
  await two.daemon.start()
  expect(await two.sessions().state('w')).toMatchObject({ kind: 'ended', outcome: 'cancelled' })
  expect(two.daemon.models.requests).toHaveLength(0)
})

test('does not resume a session that runs in another process, and reports it', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  const file = `${home.folder('sessions')}/far.session.yaml`
  writeFileSync(
    file,
    'agent_id: worker\nmodel: scripted\nmetadata: {workspace: /etc}\nmessages:\n  - role: user\n    content: go\n',
  )
  const daemon = testDaemon(home, workspace, { lanes: { worker: [say('done')] } })
  await daemon.start()
  expect(daemon.status().problems).toMatchObject([
    { file: 'sessions/far.session.yaml', message: expect.stringContaining('/etc') },
  ])
  expect(daemon.models.requests).toHaveLength(0)
  await daemon.stop()
  const trusting = testDaemon(home, workspace, { trusted: true, lanes: { worker: [say('done')] } })
  await trusting.start()
  await until(() => sessionText(home, 'far').includes('content: done'))
})

test('answers a message that is written to a session file while the session ends', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  let isWritten = false
  const { daemon, sessions } = keeperOf((duties) =>
    testDaemon(home, workspace, {
      duties,
      lanes: {
        worker: [
          () => {
            isWritten = true
            writeEntry(home, 'w', 'wait, one more thing')
            return say('done')
          },
          say('and that as well'),
        ],
      },
    }),
  )
  await daemon.start()
  await sessions().start({ id: 'w', agent: 'worker', work: content('go') })
  await until(() => sessionText(home, 'w').includes('and that as well'))
  expect(isWritten).toBe(true)
})

test('the next daemon starts queued sessions and delivers queued messages in order', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  const hold = holdTool()
  const settings = { parallel: 1 }
  const one = keeperOf((duties) =>
    testDaemon(home, workspace, {
      duties,
      settings,
      tools: [hold.tool],
      lanes: { worker: [call(['hold', {}]), say('done')] },
    }),
  )
  await one.daemon.start()
  await one.sessions().start({ id: 'w-0', agent: 'worker', work: content('go') })
  await until(() => hold.waiting() === 1)
  hold.letGo()
  await until(() => one.daemon.status().sessions.running.length === 0)
  await one.sessions().start({ id: 'w-1', agent: 'worker', work: content('go') })
  await one.sessions().start({ id: 'w-2', agent: 'worker', work: content('go') })
  expect(await one.sessions().tell('w-0', { content: 'remember the milk', message: 'm/1' })).toBe('queued')
  await until(() => hold.waiting() === 1)
  const stopping = one.daemon.stop()
  hold.letGo()
  await stopping
  expect(sessionText(home, 'w-2')).toBe('')
  const two = keeperOf((duties) =>
    testDaemon(home, workspace, {
      duties,
      settings,
      lanes: { worker: [say('done'), say('yes'), say('more')] },
    }),
  )
  await two.daemon.start()
  for (const id of ['w-0', 'w-1', 'w-2'])
    await until(async () => (await two.sessions().state(id)).kind === 'ended')
  expect(sessionText(home, 'w-0').match(/content: remember the milk/g)).toHaveLength(1)
  expect(sessionText(home, 'w-2')).toContain('outcome: completed')
  expect(readdirSync(home.at('storage', 'requests', 'queued'))).toEqual([])
})
