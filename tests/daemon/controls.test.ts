/** Controls of a session apply to all work it gives to others: by a task, by changing one, or by a message. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type Controls, nameKey, type Tool } from '@cadre/core'
import { openMailboxes } from '@cadre/home'
import { createMailboxDuty, createTaskDuty, type DaemonContext } from '@cadre/server'
import { openTaskFiles } from '@cadre/tasks'
import { call, type Line, say } from '@cadre/testing'
import { createTools } from '@cadre/tools'
import { expect, test } from 'vitest'
import {
  template,
  temporaryHome,
  testDaemon,
  until,
} from '../../packages/server/src/daemon/daemon.spec-helpers.ts'
import { countingTools } from '../engine/tools.ts'

type Lanes = Readonly<Record<string, readonly Line[]>>

/** A daemon on a real home, with the tools by which agents assign work. */
async function open(lanes: Lanes, text = '') {
  const { home, workspace } = temporaryHome()
  for (const agent of Object.keys(lanes)) template(home, agent)
  mkdirSync(home.at('tasks'), { recursive: true })
  if (text !== '') writeFileSync(home.at('tasks', 'a.task.md'), text)
  const { done, tools: counting } = countingTools()
  const names = Object.keys(lanes).map((name) => ({
    name,
    description: '',
    prompt: '',
    tools: { kind: 'all' },
  }))
  const agents = {
    get: (name: string) => names.find((one) => nameKey(one.name) === nameKey(name)),
    list: () => names,
  } as never
  let context: DaemonContext | undefined
  const own = createTools({
    home: home.path,
    messages: () => ({
      mailboxes: openMailboxes(home),
      agents,
      agentOf: async (session: string) => (await daemon.engine().read(session))?.spec.agent.name,
      attended: () => true,
    }),
  }).filter(({ name }) => ['create_task', 'update_task', 'send_message'].includes(name))
  const tools: readonly Tool[] = [...counting, ...own]
  const daemon = testDaemon(home, workspace, {
    lanes,
    tools,
    duties: (given) => {
      context = given
      return [
        createTaskDuty(given, {
          tasks: openTaskFiles({ folder: home.at('tasks') }),
          parallel: 4,
          missingMs: 0,
        }),
        createMailboxDuty(given),
      ]
    },
  })
  await daemon.start()
  const tasks = openTaskFiles({ folder: home.at('tasks') })
  return {
    home,
    done,
    daemon,
    task: (id: string) => tasks.find(id)?.task,
    begin: (id: string, agent: string, controls?: Controls) =>
      context?.sessions.start({ id, agent, work: { content: 'Go.' }, ...(controls && { controls }) }),
    controlsOf: async (session: string) => (await daemon.engine().read(session))?.spec.controls,
    sessions: () => daemon.engine().list(),
  }
}

const launch = call(['launch', { what: 'rocket' }])

test('a task runs under the controls of the session that created it', async () => {
  const { begin, done, task, controlsOf } = await open({
    boss: [call(['create_task', { title: 'Launch', who: ['worker'], id: 't1' }]), say('Asked.')],
    worker: [launch, say('It was refused.')],
  })
  await begin('boss-1', 'boss', { deniedTools: ['launch'] })
  await until(() => task('t1')?.state === 'done')
  expect(await controlsOf('worker-t1')).toEqual({ deniedTools: ['launch'] })
  expect(done).toEqual([])
})

test('a person’s task runs under the controls of sessions that changed it', async () => {
  const change = { id: 't1', title: 'Launch', who: ['worker'], state: 'open' }
  const { begin, done, task, controlsOf } = await open(
    { boss: [call(['update_task', change]), say('Changed.')], worker: [launch, say('It was refused.')] },
    '- [-] @human "Rest"\n  id: t1\n',
  )
  await begin('boss-1', 'boss', { deniedTools: ['launch'] })
  await until(() => task('t1')?.state === 'done')
  expect(await controlsOf('worker-t1')).toEqual({ deniedTools: ['launch'] })
  expect(done).toEqual([])
})

test('a session with fewer controls does not get a restricted session’s request: another session does', async () => {
  const { begin, done, daemon, task, controlsOf } = await open(
    {
      boss: [call(['update_task', { id: 't1', title: 'Launch' }]), say('Changed.')],
      // The first session waits for a message; any session that knows of the launch launches.
      worker: [
        ({ messages }) => (JSON.stringify(messages).includes('Launch') ? launch : 'hang'),
        say('It was refused.'),
      ],
    },
    '- [ ] @worker "Rest"\n  id: t1\n',
  )
  await until(() => daemon.models.requests.length === 1)
  await begin('boss-1', 'boss', { deniedTools: ['launch'] })
  await until(() => task('t1')?.state === 'done')
  expect(task('t1')?.fields.get('session')).not.toBe('worker-t1')
  expect(await controlsOf(task('t1')?.fields.get('session') ?? '')).toEqual({ deniedTools: ['launch'] })
  expect(done).toEqual([])
})

test('a message is answered under the controls of the session that sent it', async () => {
  const { begin, done, daemon, sessions } = await open({
    boss: [call(['send_message', { to: 'worker', text: 'Launch.' }]), say('Asked.')],
    worker: [launch, say('It was refused.')],
  })
  await begin('boss-1', 'boss', { deniedTools: ['launch'] })
  const { id } = await until(async () =>
    (await sessions()).find(({ id, status }) => id.startsWith('worker-') && status === 'completed'),
  )
  expect((await daemon.engine().read(id))?.spec.controls).toEqual({ deniedTools: ['launch'] })
  expect(done).toEqual([])
})

test('a task that requires approvals from now on gets them, even while running', async () => {
  const { home, done, daemon, task, controlsOf } = await open(
    { worker: [({ messages }) => (messages.length > 0 && isLate ? launch : 'hang'), say('Launched.')] },
    '- [ ] @worker "Launch"\n  id: t1\n',
  )
  await until(() => daemon.models.requests.length === 1)
  isLate = true
  const file = home.at('tasks', 'a.task.md')
  writeFileSync(file, readFileSync(file, 'utf8').replace('id: t1', 'id: t1\n  approval_required: true'))
  const session = await until(() => {
    const now = task('t1')?.fields.get('session')
    return now !== 'worker-t1' && now
  })
  await until(async () => (await controlsOf(session)) !== undefined)
  expect(await controlsOf(session)).toEqual({ approvalRequired: true })
  await until(() => daemon.status().approvals.length === 1)
  expect(done).toEqual([])
})
let isLate = false
