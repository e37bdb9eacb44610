import { appendFileSync, readdirSync } from 'node:fs'
import { systemClock } from '@cadre/disk'
import { openHome } from '@cadre/home'
import { createFileEngine } from '@cadre/journal'
import { expect, onTestFinished, test } from 'vitest'
import { delegate, type Project, report } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { type EngineProject, openEngineProject } from './support/engine-project.ts'

/** Runs until it is stopped. */
const endless = `node -e "require('node:fs').appendFileSync('runs.txt', 'x'); setInterval(() => {}, 1000)"`
const approved = { calls: [{ tool: 'execute_command', input: { command: endless } }] }

const files = {
  'playbook.yaml': {
    lanes: {
      lead: [{ calls: [delegate('worker')] }, { reply: 'Done without it.' }],
      worker: [approved, report('built')],
      // A command that needs an approval.
      asker: [approved, { reply: 'Done.' }],
      quick: [{ reply: 'Done.' }],
    },
  },
  '.cadre/templates/lead.agent.yaml': 'id: lead\ntype: planner\nsystem_prompt: You lead.\n',
  '.cadre/templates/worker.agent.yaml': 'id: worker\ntype: executor\nsystem_prompt: You work.\n',
  '.cadre/templates/asker.agent.yaml': 'id: asker\ntype: executor\nsystem_prompt: You ask.\n',
  '.cadre/templates/quick.agent.yaml': 'id: quick\ntype: planner\nsystem_prompt: You are quick.\n',
  '.cadre/inbox/routes.yaml': {
    routes: ['lead', 'asker', 'quick'].map((name) => ({ from: name, to: name })),
  },
}

const queued = '.cadre/storage/requests/queued'

let count = 0

/** Starts a session of this agent, and returns its id when it has a file. */
async function startSession(project: Project, agent: string): Promise<string> {
  const before = new Set(project.sessions())
  const line = { id: `n${++count}`, user: 'boss', text: 'Do it.' }
  appendFileSync(project.at(`.cadre/inbox/${agent}.jsonl`), `${JSON.stringify(line)}\n`)
  return added(project, agent, before)
}

async function added(project: Project, agent: string, before: ReadonlySet<string>): Promise<string> {
  let id: string | undefined
  await until(() => {
    // A file that is being written has a longer name.
    id = project.sessions().find((one) => !one.includes('.') && one.startsWith(agent) && !before.has(one))
    return id !== undefined
  })
  return id as string
}

const statusOf = (project: Project, id: string) =>
  /^status: (\w+)/m.exec(project.read(`.cadre/sessions/${id}.session.yaml`))?.[1]
const outcomeOf = (project: Project, id: string) =>
  /^ {2}outcome: (\w+)/m.exec(project.read(`.cadre/sessions/${id}.session.yaml`))?.[1]

/** In a process of its own, which must end by itself. */
const cancel = (project: Project, id: string) =>
  project.cadre(['sessions', 'cancel', id, '--trust', '--json'], { ownProcess: true })

async function approveAll(project: Project): Promise<void> {
  let isApproved = false
  await until(async () => {
    const { stdout } = await project.cadre(['approvals', '--json', '--trust'])
    for (const { id } of JSON.parse(stdout || '[]') as { id: string }[]) {
      await project.cadre(['approve', id, '--trust'])
      isApproved = true
    }
    return isApproved
  })
}

const down = (project: Project) => project.cadre(['down', '--trust'])

test('cancels sessions that workers run: a child, one that waits, with and without a daemon, and one that has ended', async () => {
  const { project, startWorker, startDaemon } = await openEngineProject(files)
  await startWorker()
  await startDaemon()

  const lead = await startSession(project, 'lead')
  await approveAll(project)
  await until(() => project.exists('runs.txt'))
  const worker = await added(project, 'worker', new Set())
  const ofChild = await cancel(project, worker)
  expect(ofChild.json()).toMatchObject([{ cancelled: true, message: `Session ${worker} was cancelled.` }])
  await until(() => statusOf(project, lead) === 'completed')
  expect(project.read(`.cadre/sessions/${lead}.session.yaml`)).toContain('Done without it.')
  await until(() => outcomeOf(project, worker) === 'cancelled')

  const again = await cancel(project, worker)
  expect(again.code).toBe(0)
  expect(again.json()).toMatchObject([
    { cancelled: false, message: `Session ${worker} is not running: it has already ended (cancelled).` },
  ])

  // It waits for a person, so the daemon does not follow it.
  const asker = await startSession(project, 'asker')
  await until(() => statusOf(project, asker) === 'sleeping')
  expect((await cancel(project, asker)).json()).toMatchObject([{ cancelled: true }])
  await until(() => outcomeOf(project, asker) === 'cancelled')
  await until(async () => (await project.cadre(['approvals', '--json', '--trust'])).stdout.trim() === '[]')

  // Without a daemon, the command writes the file.
  const first = await startSession(project, 'asker')
  const second = await startSession(project, 'asker')
  for (const id of [first, second]) await until(() => statusOf(project, id) === 'sleeping')
  await down(project)
  const pending = JSON.parse((await project.cadre(['approvals', '--json', '--trust'])).stdout) as {
    id: string
    session: string
  }[]
  const ofSecond = pending.find(({ session }) => session === second)
  const rejected = await project.cadre(['reject', ofSecond?.id ?? '', '--trust'])
  expect(rejected.stdout).toMatch(/"cadre up" continues asker-\S+ on a worker of place/)
  const [status] = (await project.cadre(['status', '--json'])).json()
  expect(status).toMatchObject({ running: false })
  const withoutDaemon = await cancel(project, first)
  expect(withoutDaemon.json()).toMatchObject([
    { cancelled: true, message: `Session ${first} was cancelled.` },
  ])
  expect(outcomeOf(project, first)).toBe('cancelled')
})

test('a message that a killed daemon did not send does not continue a session that was cancelled since', async () => {
  const { project, startWorker, startDaemon } = await openEngineProject(files)
  const worker = await startWorker()
  await startDaemon()
  const asker = await startSession(project, 'asker')
  await until(() => statusOf(project, asker) === 'sleeping')
  worker.child.kill('SIGKILL')
  await worker.ended()
  await down(project)
  const work = { content: 'Once more.', message: 'm1' }
  project.write(`${queued}/01000000000000-1.json`, JSON.stringify({ kind: 'tell', session: asker, work }))
  expect((await cancel(project, asker)).json()).toMatchObject([{ cancelled: true, queued: true }])
  await startWorker()
  await startDaemon()
  await until(() => outcomeOf(project, asker) === 'cancelled')
  const quick = await startSession(project, 'quick')
  await until(() => statusOf(project, quick) === 'completed')
  // The daemon may read the end of the session before it removes the request that started it.
  await until(() => readdirSync(project.at(queued)).length === 0)
  expect(project.read(`.cadre/sessions/${asker}.session.yaml`)).not.toContain('Once more.')
})

test('a message that a running daemon could not send yet does not continue a session that is cancelled', async () => {
  const { project, startWorker, startDaemon } = await openEngineProject(files)
  await startWorker()
  await startDaemon()
  const asker = await startSession(project, 'asker')
  await until(() => statusOf(project, asker) === 'sleeping')
  await down(project)
  const work = { content: 'Once more.', message: 'm1' }
  project.write(`${queued}/01000000000000-1.json`, JSON.stringify({ kind: 'tell', session: asker, work }))
  // The daemon cannot send anything to a tree that another process holds.
  const home = openHome({ home: project.at('.cadre'), cwd: project.path, env: {} })
  const other = await createFileEngine({ home, clock: systemClock })
  onTestFinished(() => other.close())
  await other.hold(asker)
  await startDaemon()
  const blocked = 'Cannot deliver messages to this session'
  await until(async () => (await project.cadre(['status', '--json'])).stdout.includes(blocked))
  const { code, json } = await cancel(project, asker)
  expect(code).toBe(0)
  expect(json()).toMatchObject([{ cancelled: true, message: `Cancelling session ${asker}.` }])
  other.letGo(asker)
  await until(() => outcomeOf(project, asker) === 'cancelled')
  await until(() => readdirSync(project.at(queued)).length === 0)
  expect(project.read(`.cadre/sessions/${asker}.session.yaml`)).not.toContain('Once more.')
})

test('a cancel is stored while no worker is running, and takes effect when one is', async () => {
  const { project, keeper, startWorker, startDaemon } = await openEngineProject(files)
  const old = await startWorker()
  await startDaemon()
  const lead = await startSession(project, 'lead')
  await approveAll(project)
  await until(() => project.exists('runs.txt'))
  const asker = await startSession(project, 'asker')
  await until(() => statusOf(project, asker) === 'sleeping')
  const other = await startSession(project, 'asker')
  await until(() => statusOf(project, other) === 'sleeping')
  old.child.kill('SIGKILL')
  await old.ended()

  for (const id of [lead, asker]) {
    const { code, json } = await cancel(project, id)
    expect(code).toBe(0)
    expect(json()).toMatchObject([{ cancelled: true, queued: true }])
    expect(json()[0]?.['message']).toContain('Start a worker with "cadre worker".')
  }
  await down(project)
  expect((await cancel(project, other)).json()).toMatchObject([{ cancelled: true, queued: true }])
  await startDaemon()
  await startWorker()
  for (const id of [lead, asker, other]) await until(() => outcomeOf(project, id) === 'cancelled')
  expect(await keeper.read(lead)).toMatchObject({ status: 'error', outcome: 'cancelled', isRunning: false })
  expect(project.read('runs.txt')).toBe('x')
})

test('while the server does not answer, a cancel is stored and sent later, with and without a daemon', async () => {
  const engine = await openEngineProject(files)
  const { project } = engine
  const worker = await engine.startWorker()
  await engine.startDaemon()
  const first = await startSession(project, 'asker')
  await until(() => statusOf(project, first) === 'sleeping')
  const second = await startSession(project, 'asker')
  await until(() => statusOf(project, second) === 'sleeping')
  worker.child.kill('SIGKILL')
  await worker.ended()
  await stopServer(engine)
  const fix =
    /cannot reach the Restate server at http:\S+: .+ Start it, or correct engine\.ingress.+ "cadre up" sends it\.$/
  const expectStored = ({ code, json }: Awaited<ReturnType<typeof cancel>>) => {
    expect(code).toBe(0)
    expect(json()).toMatchObject([{ cancelled: true, queued: true, message: expect.stringMatching(fix) }])
  }
  expectStored(await cancel(project, first))
  await down(project)
  expectStored(await cancel(project, second))
  const settings = project.read('.cadre/config.yaml')
  project.write('.cadre/config.yaml', '{}')
  const without = await project.cadre(['sessions', 'cancel', second, '--trust'], { ownProcess: true })
  expect(without.stderr).toContain('config.yaml has no engine')
  project.write('.cadre/config.yaml', settings)
  await engine.restartEngine()
  await engine.startWorker()
  await engine.startDaemon()
  for (const id of [first, second]) await until(() => outcomeOf(project, id) === 'cancelled')
  await until(() => readdirSync(project.at(queued)).length === 0)
})

test('a start that waits for a worker is cancelled, with and without a daemon, and never runs', async () => {
  const engine = await openEngineProject(files)
  const { project, keeper } = engine
  await engine.startDaemon()
  const write = (id: string) =>
    project.write(
      `.cadre/sessions/${id}.session.yaml`,
      'agent_id: quick\nmessages:\n  - role: user\n    content: Do it.\n',
    )
  const isQueued = (id: string) =>
    project.exists(queued) &&
    readdirSync(project.at(queued)).some((name) => project.read(`${queued}/${name}`).includes(id))
  for (const id of ['waits-1', 'waits-2', 'stays-1']) {
    write(id)
    await until(() => isQueued(id))
  }
  const ambiguous = await cancel(project, 'waits')
  expect(ambiguous.code).toBe(2)
  const ofDaemon = await cancel(project, 'waits-1')
  expect(ofDaemon.code).toBe(0)
  expect(ofDaemon.json()).toMatchObject([{ session: 'waits-1', cancelled: true }])
  await down(project)
  const withoutDaemon = await cancel(project, 'waits-2')
  expect(withoutDaemon.code).toBe(0)
  expect(withoutDaemon.json()).toMatchObject([{ session: 'waits-2', cancelled: true, queued: true }])
  await engine.startDaemon()
  await engine.startWorker()
  await until(() => project.exists('.cadre/sessions/stays-1.session.yaml'))
  await until(() => statusOf(project, 'stays-1') === 'completed')
  await until(() => readdirSync(project.at(queued)).length === 0)
  for (const id of ['waits-1', 'waits-2']) {
    expect(await keeper.state(id)).toEqual({ kind: 'absent' })
    expect(project.exists(`.cadre/sessions/${id}.session.yaml`)).toBe(false)
  }
})

test('a start that the daemon is sending is cancelled after it', async () => {
  const engine = await openEngineProject(files)
  const { project } = engine
  const worker = await engine.startWorker()
  await engine.startDaemon()
  const lead = await startSession(project, 'asker')
  await until(() => statusOf(project, lead) === 'sleeping')
  worker.child.kill('SIGKILL')
  await worker.ended()
  // The server knows the place, so the daemon waits for the answer of a worker.
  project.write(
    '.cadre/sessions/sent-1.session.yaml',
    'agent_id: asker\nmessages:\n  - role: user\n    content: Do it.\n',
  )
  await until(() => readdirSync(project.at(queued)).length > 0)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const { code, json } = await cancel(project, 'sent-1')
  expect(code).toBe(0)
  expect(json()).toMatchObject([{ session: 'sent-1', cancelled: true, queued: true }])
  await engine.startWorker()
  await until(() => readdirSync(project.at(queued)).length === 0)
  const next = await startSession(project, 'quick')
  await until(() => statusOf(project, next) === 'completed')
  if (project.exists('.cadre/sessions/sent-1.session.yaml'))
    await until(() => outcomeOf(project, 'sent-1') === 'cancelled')
  expect(project.exists('runs.txt')).toBe(false)
})

async function stopServer({ engine }: EngineProject): Promise<void> {
  engine.child.kill('SIGTERM')
  await engine.ended()
}
