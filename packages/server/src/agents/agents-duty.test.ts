import { rmSync, writeFileSync } from 'node:fs'
import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import {
  holdTool,
  sessionText,
  template,
  temporaryHome,
  testDaemon,
  until,
  writeEntry,
} from '../daemon/daemon.spec-helpers.ts'
import type { SessionKeeper } from '../session-keeper.ts'

test('uses a new template immediately, ends the sessions of a removed one, and reports a broken one', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  const hold = holdTool()
  let sessions: SessionKeeper | undefined
  const daemon = testDaemon(home, workspace, {
    tools: [hold.tool],
    lanes: { worker: [call(['hold', {}]), say('done')], helper: [call(['hold', {}]), say('done')] },
    duties: (context) => {
      sessions = context.sessions
      return []
    },
  })
  await daemon.start()
  template(home, 'helper')
  await until(() => daemon.happenings.some(({ type }) => type === 'agent.added'))
  await sessions?.start({ id: 'w', agent: 'worker', work: { content: 'go' } })
  await sessions?.start({ id: 'h', agent: 'helper', work: { content: 'go' } })
  await until(() => hold.waiting() === 2)
  writeFileSync(home.at('templates', 'worker.agent.yaml'), 'id: worker\nsystem_prompt: [never closed\n')
  await until(() =>
    daemon.status().problems.some(({ file, line }) => file === 'templates/worker.agent.yaml' && line),
  )
  rmSync(home.at('templates', 'helper.agent.yaml'))
  await until(() => sessionText(home, 'h').includes('outcome: cancelled'))
  expect(daemon.happenings).toContainEqual(
    expect.objectContaining({
      type: 'session.cancelled',
      session: 'h',
      reason: "the session's agent helper was removed",
    }),
  )
  hold.letGo()
  await until(() => sessionText(home, 'w').includes('outcome: completed'))
  template(home, 'worker')
  await until(() => daemon.status().problems.length === 0)
})

test('a session of a removed template is not resumed until the template is restored', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  let sessions: SessionKeeper | undefined
  const daemon = testDaemon(home, workspace, {
    lanes: { worker: [say('first'), say('second')] },
    duties: (context) => {
      sessions = context.sessions
      return []
    },
  })
  await daemon.start()
  await sessions?.start({ id: 'w', agent: 'worker', work: { content: 'go' } })
  await until(() => sessionText(home, 'w').includes('outcome: completed'))
  rmSync(home.at('templates', 'worker.agent.yaml'))
  await until(() => daemon.happenings.some(({ type }) => type === 'agent.removed'))
  writeEntry(home, 'w', 'Are you there?')
  const problems = () => daemon.status().problems.map(({ file, message }) => `${file}: ${message}`)
  await until(() =>
    problems().some((one) => one.startsWith('sessions/w.session.yaml: Agent worker was removed')),
  )
  expect(daemon.models.requests).toHaveLength(1)
  template(home, 'worker')
  await until(() => sessionText(home, 'w').includes('second'))
  expect(problems()).toEqual([])
})

test('ends the sleeping sessions of a template that was removed while no daemon was running', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  const hold = holdTool()
  const options = { tools: [hold.tool], lanes: { worker: [call(['hold', {}]), say('done')] } }
  let sessions: SessionKeeper | undefined
  const one = testDaemon(home, workspace, {
    ...options,
    duties: (context) => {
      sessions = context.sessions
      return []
    },
  })
  await one.start()
  await sessions?.start({ id: 'w', agent: 'worker', work: { content: 'go' } })
  await until(() => hold.waiting() === 1)
  const stopping = one.stop()
  hold.letGo()
  await stopping
  expect(sessionText(home, 'w')).toMatch(/^status: sleeping/m)
  rmSync(home.at('templates', 'worker.agent.yaml'))
  const two = testDaemon(home, workspace, { ...options, settings: { parallel: 1 } })
  await two.start()
  await until(() => sessionText(home, 'w').includes('outcome: cancelled'))
  expect(sessionText(home, 'w')).toContain("the session's agent worker was removed")
  expect(two.models.requests).toHaveLength(0)
})
