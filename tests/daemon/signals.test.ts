import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { bin } from '../cli/support/cadre.ts'
import { createProject } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { agent, startDaemon, statusOf, talk } from './machine.ts'

const asking = {
  ...agent('worker'),
  'playbook.yaml': { lanes: { worker: [{ reply: 'never', wait: 600_000 }] } },
}
const commanding = {
  ...agent('worker'),
  // The user's own rule: it counts without a sandbox, too.
  '.config/cadre/policy.yaml': { effects: { execute: 'allow' } },
  'run.sh': 'echo x >> runs.txt\nwhile [ ! -e go ]; do sleep 0.05; done\necho over\n',
  'playbook.yaml': {
    lanes: {
      worker: [
        { calls: [{ tool: 'execute_command', input: { command: 'sh run.sh' } }] },
        { expect: { last: 'over' }, reply: 'it was run' },
      ],
    },
  },
}
const answering = { ...agent('worker'), 'playbook.yaml': { lanes: { worker: [{ reply: 'it is done' }] } } }
const task = '- [ ] A @worker "one"\n  id: t1\n'

test('a stop in the middle of a request to a model has an end, and the next one goes on', {
  timeout: 120_000,
}, async () => {
  const project = createProject(asking)
  const daemon = await startDaemon(project)
  project.write('.cadre/tasks/a.task.md', task)
  await until(async () => (await statusOf(project)).sessions.running.includes('worker-t1'))
  project.write('playbook.yaml', answering['playbook.yaml'])
  daemon.signal('SIGTERM')
  await until(() => !isAlive(daemon.pid))
  expect(daemon.shown()).toContain('Stopped.')
  expect(project.exists('.cadre/storage/leases/.daemon.lease')).toBe(false)
  const next = await startDaemon(project)
  await until(() => /\[x\]/.test(project.read('.cadre/tasks/a.task.md')))
  expect(project.sessions()).toEqual(['worker-t1'])
  expect(await next.stop()).toBe(0)
})

for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  test(`${name} stops in order`, async () => {
    const project = createProject(answering)
    const daemon = await startDaemon(project)
    daemon.signal(name)
    await until(() => !isAlive(daemon.pid))
    expect(daemon.shown()).toContain('Stopped.')
    expect(project.exists('.cadre/storage/leases/.daemon.lease')).toBe(false)
  })

test('a stop waits for the command that runs, which has run once', async () => {
  const project = createProject(commanding)
  const daemon = await startDaemon(project)
  project.write('.cadre/tasks/a.task.md', task)
  await until(() => project.exists('runs.txt'))
  const stopping = project.start(['down'])
  await until(() => daemon.shown().includes('the daemon stops'))
  project.write('go', '')
  expect((await stopping.ended()).code).toBe(0)
  const next = await startDaemon(project)
  await until(() => /\[x\]/.test(project.read('.cadre/tasks/a.task.md')))
  expect(project.read('runs.txt')).toBe('x\n')
  expect(await next.stop()).toBe(0)
})

test('two signals leave at once; what was begun is asked about and not repeated', async () => {
  const project = createProject(commanding)
  const daemon = await startDaemon(project)
  project.write('.cadre/tasks/a.task.md', task)
  await until(() => project.exists('runs.txt'))
  daemon.signal('SIGTERM')
  await until(() => daemon.shown().includes('Coming to rest'))
  daemon.signal('SIGTERM')
  await until(() => !isAlive(daemon.pid))
  project.write('go', '')
  const next = await startDaemon(project)
  await until(async () => (await statusOf(project)).sessions.waiting.includes('worker-t1'))
  expect(project.read('runs.txt')).toBe('x\n')
  expect(await next.stop()).toBe(0)
})

test('a terminal that goes away, and a closed input, do not end a detached daemon', async () => {
  const project = createProject(answering)
  // Its own group, which is told to hang up as a terminal does.
  const shell = spawn(
    'sh',
    [
      '-c',
      `"${process.execPath}" "${bin}" up --detach --trust --model scripted:playbook.yaml <&- && sleep 600`,
    ],
    {
      cwd: project.path,
      env: { PATH: process.env['PATH'] ?? '', HOME: project.path, USER: 'tester' },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  onTestFinished(async () => void (await project.cadre(['down'])))
  await until(
    async () => existsSync(project.at('.cadre/storage/daemon.json')) && (await statusOf(project)).running,
  )
  process.kill(-(shell.pid as number), 'SIGHUP')
  shell.stdout.destroy()
  shell.stderr.destroy()
  await once(shell, 'exit')
  project.write('.cadre/tasks/a.task.md', task)
  await until(() => /\[x\]/.test(project.read('.cadre/tasks/a.task.md')))
})

test('a daemon whose reader is gone goes on', async () => {
  const project = createProject(answering)
  const running = project.start(['up', '--trust', '--model', 'scripted:playbook.yaml'])
  await running.until((stdout) => stdout.includes('Watching '))
  running.child.stdout.destroy()
  running.child.stderr.destroy()
  project.write('.cadre/tasks/a.task.md', task)
  await until(() => /\[x\]/.test(project.read('.cadre/tasks/a.task.md')))
  expect((await statusOf(project)).running).toBe(true)
  expect((await project.cadre(['down'])).code).toBe(0)
})

test('a log that cannot be written is said before anything is started', async () => {
  const project = createProject(answering)
  mkdirSync(project.at('.cadre/storage/daemon.log'), { recursive: true })
  const { code, stderr } = await project.cadre([
    'up',
    '--detach',
    '--trust',
    '--model',
    'scripted:playbook.yaml',
  ])
  expect(code).toBe(2)
  expect(stderr).toContain('daemon.log')
  expect((await statusOf(project)).running).toBe(false)
})

test('with few files that may be open, a daemon says so or copes, and no session is lost', {
  timeout: 180_000,
}, async () => {
  const project = createProject(answering)
  const limited = spawn(
    'sh',
    ['-c', `ulimit -n 64; exec "${process.execPath}" "${bin}" up --trust --model scripted:playbook.yaml`],
    {
      cwd: project.path,
      env: { PATH: process.env['PATH'] ?? '', HOME: project.path, USER: 'tester' },
      stdio: 'ignore',
    },
  )
  onTestFinished(() => void limited.kill('SIGKILL'))
  await until(
    async () => existsSync(project.at('.cadre/storage/daemon.json')) && (await statusOf(project)).running,
  )
  mkdirSync(project.at('.cadre/sessions'), { recursive: true })
  const ids = Array.from({ length: 150 }, (_, index) => `s${index}`)
  for (const id of ids) writeFileSync(project.at(`.cadre/sessions/${id}.session.yaml`), talk('worker'))
  const isOver = (id: string) =>
    /^status: completed/m.test(project.read(`.cadre/sessions/${id}.session.yaml`))
  const hasSaidSo = async () =>
    (await statusOf(project)).problems.some(({ message }) => message.includes('no more files can be opened'))
  await until(async () => ids.every(isOver) || (await hasSaidSo()))
  expect(limited.exitCode).toBeNull()
  expect((await project.cadre(['down'])).code).toBe(0)
  const next = await startDaemon(project)
  await until(() => ids.every(isOver))
  for (const id of ids)
    expect(project.read(`.cadre/sessions/${id}.session.yaml`).match(/^ {4}role: user$/gm)).toHaveLength(1)
  expect(await next.stop()).toBe(0)
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
