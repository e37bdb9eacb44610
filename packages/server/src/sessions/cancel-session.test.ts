import { call, say, scriptedModels } from '@cadre/testing'
import { expect, test } from 'vitest'
import { template, temporaryHome, until } from '../daemon/daemon.spec-helpers.ts'
import { messagesBySession, openTestDaemon } from '../daemon/test-daemon.spec-helpers.ts'

test('queued messages do not start a cancelled session', async () => {
  const { home } = temporaryHome()
  template(home, 'worker')
  const { keeper, engine, rest } = await openTestDaemon({
    home,
    models: scriptedModels({ worker: [say('done')] }),
  })
  await keeper.hold(false)
  for (const message of ['m/1', 'm/2', 'm/3'])
    await keeper.tell('w-1', { content: message, message }, { agent: 'worker' })
  expect(await keeper.cancel('w-1', 'not needed')).toBe(true)
  keeper.release()
  await rest()
  expect(await keeper.state('w-1')).toEqual({ kind: 'absent' })
  expect([...(await messagesBySession(engine)).keys()]).toEqual([])
})

test('cancelling a session continues the session that waits for it, although its run has finished', async () => {
  const { home } = temporaryHome()
  for (const name of ['lead', 'worker']) template(home, name)
  template(home, 'chief', 'agents: [worker]\n')
  const delegate = (agentName: string) =>
    call(['delegateWork', { agentName, workDescription: 'w', reportExpectations: 'r' }])
  const report = call(['reportOut', { report: 'fine' }])
  const models = scriptedModels({
    lead: [delegate('chief'), say('the run is over')],
    chief: [report, delegate('worker'), report],
    worker: ['hang'],
  })
  const first = await openTestDaemon({ home, models })
  await first.keeper.start({ id: 'lead-1', agent: 'lead', work: { content: 'go' } })
  await first.rest()
  const idOf = async (agent: string) => (await first.engine.list()).find((one) => one.agent === agent)?.id
  const chief = (await idOf('chief')) ?? ''
  await first.keeper.tell(chief, { content: 'once more', message: 'm/1' })
  const worker = await until(() => idOf('worker'))
  await until(() => models.requests.some(({ agent }) => agent === 'worker'))
  await first.kill()
  const { keeper, rest } = await openTestDaemon({ home, models })
  expect(await keeper.cancel(worker, 'not needed')).toBe(true)
  await until(async () => (await keeper.state(chief)).kind === 'ended')
  await rest()
  expect(await keeper.state(chief)).toMatchObject({ kind: 'ended', outcome: 'completed' })
})

test('cancelling a session that is not running ends the sessions that it waits for', async () => {
  const { home } = temporaryHome()
  for (const name of ['lead', 'worker']) template(home, name)
  const delegate = { agentName: 'worker', workDescription: 'w', reportExpectations: 'r' }
  const models = scriptedModels({ lead: [call(['delegateWork', delegate])], worker: ['hang'] })
  const first = await openTestDaemon({ home, models })
  await first.keeper.start({ id: 'lead-1', agent: 'lead', work: { content: 'go' } })
  await until(() => models.requests.some(({ agent }) => agent === 'worker'))
  await first.kill()
  const { keeper, engine } = await openTestDaemon({ home, models })
  expect(await keeper.cancel('lead-1', 'not needed')).toBe(true)
  const sessions = await engine.list()
  expect(sessions).toHaveLength(2)
  for (const { id } of sessions)
    expect(await keeper.state(id)).toMatchObject({ kind: 'ended', outcome: 'cancelled' })
})
