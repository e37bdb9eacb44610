import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { bin } from '../cli/support/cadre.ts'
import { createProject, type Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { isDeep, sampled, share } from '../support/amount.ts'
import {
  agent,
  personSession,
  type Running,
  type Status,
  skipTitle,
  startDaemon,
  statusOf,
} from './machine.ts'

const test = sampled(5)

const asking = {
  ...agent('worker'),
  'playbook.yaml': { lanes: { worker: [{ reply: 'never', wait: 600_000 }] } },
}
const commanding = {
  ...agent('worker'),
  // The user's own rule, which also applies without a sandbox.
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
/** Why the open files of a process cannot be limited here; undefined if they can. */
const noPrlimit = spawnSync('prlimit', ['--version']).status === 0 ? undefined : 'no prlimit'
const task = '- [ ] A @worker "one"\n  id: t1\n'

test('a stop during a model request ends, and the next start continues', {
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
  // Nobody was asked anything.
  expect(daemon.shown()).toContain('worker: paused by a shutdown')
  expect(daemon.shown()).not.toContain('decides')
  const { stdout } = await project.cadre(['sessions', 'tree'])
  expect(stdout).toContain('■ worker  worker-t1  paused by a shutdown')
  expect(stdout).toMatch(/\n1 session · 1 paused · .*\n.*"cadre up", or with: cadre resume worker-t1\n$/)
  expect((await project.cadre(['sessions', 'tree', '--json'])).json()).toMatchObject([{ state: 'paused' }])
  const next = await startDaemon(project)
  await until(() => /\[x\]/.test(project.read('.cadre/tasks/a.task.md')))
  expect(project.sessions()).toEqual(['worker-t1'])
  expect(await next.stop()).toBe(0)
})

for (const name of share(['SIGTERM', 'SIGINT', 'SIGHUP'] as const, 3))
  test(`${name} shuts down cleanly`, async () => {
    const project = createProject(answering)
    const daemon = await startDaemon(project)
    daemon.signal(name)
    await until(() => !isAlive(daemon.pid))
    expect(daemon.shown()).toContain('Stopped.')
    expect(project.exists('.cadre/storage/leases/.daemon.lease')).toBe(false)
  })

test('a stop waits for the running command, which runs once', async () => {
  const project = createProject(commanding)
  const daemon = await startDaemon(project)
  project.write('.cadre/tasks/a.task.md', task)
  await until(() => project.exists('runs.txt') && project.read('runs.txt') !== '')
  const stopping = project.start(['down'])
  await until(() => daemon.shown().includes('The daemon is stopping.'))
  project.write('go', '')
  expect((await stopping.ended()).code).toBe(0)
  const next = await startDaemon(project)
  await until(() => /\[x\]/.test(project.read('.cadre/tasks/a.task.md')))
  expect(project.read('runs.txt')).toBe('x\n')
  expect(await next.stop()).toBe(0)
})

test('two signals exit immediately; interrupted work needs a decision and is not repeated', async () => {
  const project = createProject(commanding)
  const daemon = await startDaemon(project)
  project.write('.cadre/tasks/a.task.md', task)
  await until(() => project.exists('runs.txt') && project.read('runs.txt') !== '')
  daemon.signal('SIGTERM')
  await until(() => daemon.shown().includes('Shutting down'))
  daemon.signal('SIGTERM')
  await until(() => !isAlive(daemon.pid))
  project.write('go', '')
  const next = await startDaemon(project)
  await until(async () => (await statusOf(project)).sessions.waiting.includes('worker-t1'))
  expect(project.read('runs.txt')).toBe('x\n')
  expect(await next.stop()).toBe(0)
})

test('a closed terminal or input does not end a detached daemon', async () => {
  const project = createProject(answering)
  // Its own group, which gets a hangup signal like from a terminal.
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

test('a daemon continues if its reader is gone', async () => {
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

test('a log that cannot be written is reported before anything starts', async () => {
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

const many = Array.from({ length: 12 }, (_, index) => `.cadre/sessions/s${index}.session.yaml`)
const outOfFiles = 'Too many open files'

test(skipTitle('a daemon that can open no more files says so, and resumes when it can', noPrlimit), {
  skip: noPrlimit !== undefined,
  timeout: 180_000,
}, async () => {
  const project = createProject(answering)
  const daemon = await startDaemon(project)
  // Enough to read and write a file, but too few for the pipes of git.
  limitFiles(daemon.pid, await limitFor(daemon.pid, 6))
  for (const file of many) project.write(file, personSession('worker'))
  await untilOf(daemon, () => publishedProblems(project).includes(outOfFiles))
  limitFiles(daemon.pid, 1024)
  await untilOf(
    daemon,
    () =>
      many.every((file) => isCompleted(project, file)) && !publishedProblems(project).includes(outOfFiles),
  )
  for (const file of many) expectOneReply(project, file)
  // A failed process start leaves no pipes behind.
  await until(() => pipesOf(daemon.pid).length === 0)
  expect(await daemon.stop()).toBe(0)
})

test.runIf(isDeep)(
  skipTitle('a daemon with few files closes those of sessions to start a process', noPrlimit),
  {
    skip: noPrlimit !== undefined,
    timeout: 180_000,
  },
  async () => {
    const project = createProject(answering)
    const daemon = await startDaemon(project)
    // Too few for git next to the files of all running sessions.
    limitFiles(daemon.pid, await limitFor(daemon.pid, 15))
    for (const file of many) project.write(file, personSession('worker'))
    await untilOf(daemon, () => many.every((file) => isCompleted(project, file)))
    for (const file of many) expectOneReply(project, file)
    expect(await daemon.stop()).toBe(0)
  },
)

/** Fails immediately if the daemon exits before. */
async function untilOf(daemon: Running, holds: () => boolean): Promise<void> {
  const ended = daemon.ended().then(() => Promise.reject(new Error(`the daemon ended:\n${daemon.shown()}`)))
  await Promise.race([until(holds), ended])
}

function isCompleted(project: Project, file: string): boolean {
  return /^status: completed/m.test(project.read(file))
}

function expectOneReply(project: Project, file: string): void {
  const text = project.read(file)
  expect(text.match(/^ {4}role: user$/gm)).toHaveLength(1)
  expect(text.match(/^ {4}content: it is done$/gm)).toHaveLength(1)
}

/** The same problems as in `cadre status`, without a process for each check. */
function publishedProblems(project: Project): string {
  const { problems } = JSON.parse(project.read('.cadre/storage/daemon.json')) as Status
  return problems.map(({ message }) => message).join('\n')
}

/** The limit that leaves room for this many more files: it bounds descriptor numbers, and the lowest free one is used. */
async function limitFor(pid: number, room: number): Promise<number> {
  const open = await lastingFiles(pid)
  let limit = 0
  for (let free = 0; free < room; limit++) if (!open.has(limit)) free++
  return limit
}

/** The files that a daemon keeps open. Temporary ones and pipes to processes are gone in a later check. */
async function lastingFiles(pid: number): Promise<ReadonlySet<number>> {
  let lasting = new Set(readdirSync(`/proc/${pid}/fd`).map(Number))
  for (let unchanged = 0; unchanged < 25; ) {
    await delay(20)
    const pipes = pipesOf(pid)
    const still = readdirSync(`/proc/${pid}/fd`)
      .map(Number)
      .filter((number) => lasting.has(number) && !pipes.includes(number))
    unchanged = still.length === lasting.size ? unchanged + 1 : 0
    lasting = new Set(still)
  }
  return lasting
}

/** Pipes to its child processes, which come and go. */
function pipesOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/fd`)
    .map(Number)
    .filter((number) => number > 2 && linkOf(`/proc/${pid}/fd/${number}`).startsWith('socket:'))
}

function linkOf(place: string): string {
  try {
    return readlinkSync(place)
  } catch {
    return ''
  }
}

/** Limits a running process, which has already loaded its code. */
function limitFiles(pid: number, max: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${max}:`])
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
