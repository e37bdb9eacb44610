import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import path from 'node:path'
import { freePort } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import {
  type HttpsServer,
  hasHttpBackend,
  password,
  startHttpsServer,
  user,
} from '../checkouts/support/https-server.ts'
import type { RunningCadre } from '../cli/support/cadre.ts'
import { createProject, type Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { startBalancer } from './kill/balancer.ts'
import { openEngineProject } from './support/engine-project.ts'
import { approve } from './support/pending-approval.ts'

/** Appends to a file of the checkout, and ends when the home of the worker has a file `go`. */
const slow = `node -e "const fs = require('node:fs'); fs.appendFileSync('runs.txt', 'x'); setInterval(() => fs.existsSync('../../../../go') && process.exit(), 50)"`

const agent = 'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n'

function git(folder: string, ...args: string[]): string {
  const own = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com']
  return execFileSync('git', [...own, ...args], { cwd: folder, encoding: 'utf8' })
}

/** A bare repository with one commit. */
function createRepository(folder: string): string {
  const bare = path.join(folder, 'project.git')
  const seed = path.join(folder, 'seed')
  git(folder, 'init', '-q', '--bare', '-b', 'main', bare)
  git(folder, 'init', '-q', '-b', 'main', seed)
  writeFileSync(path.join(seed, 'README.md'), 'a project\n')
  git(seed, 'add', '-A')
  git(seed, 'commit', '-qm', 'first')
  git(seed, 'push', '-q', bare, 'main')
  return bare
}

interface Machines {
  readonly daemon: Project
  /** The projects of the workers. */
  readonly workers: readonly Project[]
  readonly bare: string
  /** Starts the worker of a machine, `a` or `b`. */
  start(name: 'a' | 'b'): Promise<RunningCadre>
  /** Lets the server reach only these machines, with new connections. */
  reach(...names: ('a' | 'b')[]): void
  /** The checkout of a session on a machine. */
  checkout(name: 'a' | 'b', session: string): string
  /** Lets the command end on a machine. */
  release(name: 'a' | 'b'): void
  send(text: string): void
  keeper: Awaited<ReturnType<typeof openEngineProject>>['keeper']
}

interface Access {
  /** The address of the repository. */
  readonly repository: string
  /** Files that each machine needs to reach it. */
  readonly files?: Readonly<Record<string, string>>
}

/** A daemon and two workers that share nothing but the repository and the server. */
async function openMachines(
  actions: readonly object[],
  reachBy = async (bare: string): Promise<Access> => ({ repository: bare }),
): Promise<Machines> {
  const shared = createProject()
  const bare = createRepository(shared.path)
  const { repository, files: needed = {} } = await reachBy(bare)
  const files = {
    ...needed,
    'playbook.yaml': { lanes: { planner: actions } },
    '.cadre/templates/planner.agent.yaml': agent,
  }
  const routes = { '.cadre/inbox/routes.yaml': { routes: [{ from: 'notes', to: 'planner' }] } }
  const checkout = { workspace: 'checkout', repository }
  const { project, keeper, startWorker, startDaemon } = await openEngineProject(
    { ...files, ...routes },
    { settings: checkout },
  )
  const config = '.cadre/config.yaml'
  const machine = () => createProject({ ...files, [config]: project.read(config) })
  const machines = { a: machine(), b: machine() }
  const address = await freePort()
  const ports = { a: await freePort(), b: await freePort() }
  const targets = [ports.a]
  const balancer = await startBalancer(address, targets)
  const sockets = new Set<Socket>()
  balancer.on('connection', (socket) => sockets.add(socket))
  onTestFinished(() => {
    balancer.close()
    for (const socket of sockets) socket.destroy()
  })
  await startDaemon()
  return {
    daemon: project,
    workers: [machines.a, machines.b],
    bare,
    keeper,
    start: (name) =>
      startWorker({
        project: machines[name],
        port: ports[name],
        args: ['--allow', 'write', '--url', `http://127.0.0.1:${address}`],
      }),
    checkout(name, session) {
      const worker = `${hostname().replace(/[^\w-]+/g, '-')}-${ports[name]}`
      return machines[name].at('.cadre', 'workspaces', '.checkouts', worker, session)
    },
    release: (name) => void machines[name].write('.cadre/go', ''),
    reach(...names) {
      targets.splice(0, targets.length, ...names.map((name) => ports[name]))
      for (const socket of sockets) socket.destroy()
    },
    send: (text) =>
      appendFileSync(
        project.at('.cadre/inbox/notes.jsonl'),
        `${JSON.stringify({ id: text, user: 'boss', text })}\n`,
      ),
  }
}

async function sessionOf(project: Project): Promise<{ id: string; read: () => string }> {
  await until(() => project.sessions().length > 0)
  const [id = ''] = project.sessions()
  return { id, read: () => project.read(`.cadre/sessions/${id}.session.yaml`) }
}

const write = (file: string, content: string) => ({
  calls: [{ tool: 'write_file', input: { path: file, content } }],
})
const hasRun = (folder: string) => existsSync(path.join(folder, 'runs.txt'))

test('another worker without shared files continues a tree whose worker was killed during a call', async () => {
  const { daemon, bare, checkout, start, reach, release, send } = await openMachines([
    write('notes/first.txt', 'written on the first worker\n'),
    { calls: [{ tool: 'execute_command', input: { command: slow } }] },
    { calls: [{ tool: 'read_file', input: { path: 'notes/first.txt' } }] },
    {
      expect: { last: 'written on the first worker' },
      ...write('second.txt', 'written on the second worker\n'),
    },
    { reply: 'It is done.' },
    write('third.txt', 'written later\n'),
    { reply: 'It is done again.' },
  ])
  const [a] = await Promise.all([start('a'), start('b')])
  send('Do it.')
  const session = await sessionOf(daemon)
  await approve(daemon, 'terminal_command')
  await until(() => hasRun(checkout('a', session.id)))
  a.child.kill('SIGKILL')
  release('a')
  await a.ended()
  release('b')
  reach('b')

  await approve(daemon, 'in_doubt')
  await until(() => /^status: completed/m.test(session.read()))
  const branch = `cadre/${session.id}`
  expect(git(bare, 'diff', '--name-status', 'main', branch)).toBe(
    'A\tnotes/first.txt\nA\truns.txt\nA\tsecond.txt\n',
  )
  // The first run was lost with its worker.
  expect(git(bare, 'show', `${branch}:runs.txt`)).toBe('x')
  // The record has no paths of a worker, and says where the result is.
  const record = session.read()
  expect(record).toContain(`workspace: '/cadre/checkouts/${session.id}'`)
  expect(record).not.toContain('.checkouts')
  expect(record).toContain(`branch ${branch} of ${bare}`)
  // The checkout is removed, and made again when the session continues.
  await until(() => !existsSync(checkout('b', session.id)))
  appendFileSync(
    daemon.at(`.cadre/sessions/${session.id}.session.yaml`),
    '  - role: user\n    content: And now?\n',
  )
  await until(
    () => session.read().includes('It is done again.') && /^status: completed/m.test(session.read()),
  )
  expect(git(bare, 'show', `${branch}:third.txt`)).toBe('written later\n')
  expect(git(bare, 'rev-list', '--count', `main..${branch}`).trim()).toBe('2')
  const [status] = (await daemon.cadre(['status', '--json'])).json()
  expect(status).toMatchObject({ problems: [] })
})

test('a worker that stood still cannot overwrite what another one did meanwhile', async () => {
  const { daemon, bare, checkout, start, reach, release, send } = await openMachines([
    { calls: [{ tool: 'execute_command', input: { command: slow } }] },
    write('second.txt', 'second\n'),
    { reply: 'It is done.' },
  ])
  const [a] = await Promise.all([start('a'), start('b')])
  send('Do it.')
  const session = await sessionOf(daemon)
  await approve(daemon, 'terminal_command')
  await until(() => hasRun(checkout('a', session.id)))
  a.child.kill('SIGSTOP')
  release('a')
  reach('b')
  await approve(daemon, 'in_doubt')
  await until(() => hasRun(checkout('b', session.id)))
  // It wakes up during the call of the other worker, and its own call has ended meanwhile.
  a.child.kill('SIGCONT')
  await a.until((stdout) => stdout.split('tree.stopped').length === 3)
  release('b')
  await until(() => /^status: completed/m.test(session.read()))
  const branch = `cadre/${session.id}`
  const result = git(bare, 'rev-parse', branch)
  expect(git(bare, 'show', `${branch}:runs.txt`)).toBe('x')
  expect(git(bare, 'show', `${branch}:second.txt`)).toBe('second\n')
  expect(git(bare, 'branch', '--list').trim().split('\n')).toHaveLength(2)
  a.child.kill('SIGTERM')
  await a.ended()
  expect(git(bare, 'rev-parse', branch)).toBe(result)
})

test('waits for a repository that is away, says so, and continues', async () => {
  const { daemon, bare, start, send } = await openMachines([
    write('first.txt', 'first\n'),
    write('second.txt', 'second\n'),
    { reply: 'It is done.' },
  ])
  renameSync(bare, `${bare}.away`)
  const a = await start('a')
  send('Do it.')
  const problems = async () => JSON.stringify((await daemon.cadre(['status', '--json'])).json())
  await a.until((stdout, stderr) => /waits: cannot read .*project\.git/.test(stdout + stderr))
  await until(async () => (await problems()).includes('waits: cannot read'))
  const [doctor] = (await daemon.cadre(['doctor', '--json'], { env: { CADRE_TRUST: '1' } })).json()
  expect(JSON.stringify(doctor)).toMatch(/cannot read .*project\.git/)
  // It refuses the second file for a while.
  const allow = daemon.at('allow')
  const hook = path.join(`${bare}.away`, 'hooks', 'pre-receive')
  writeFileSync(
    hook,
    `#!/bin/sh
[ -e ${allow} ] && exit 0
while read -r _ new _; do git ls-tree --name-only "$new" | grep -q second.txt && echo over quota >&2 && exit 1; done
exit 0
`,
    { mode: 0o755 },
  )
  renameSync(`${bare}.away`, bare)
  await until(async () => (await problems()).includes('over quota'))
  const session = await sessionOf(daemon)
  expect(git(bare, 'ls-tree', '--name-only', `refs/cadre/trees/${session.id}`)).toBe('README.md\nfirst.txt\n')
  expect(session.read()).not.toContain('Created second.txt')
  daemon.write('allow', '')
  await until(() => /^status: completed/m.test(session.read()))
  expect(git(bare, 'show', `cadre/${session.id}:second.txt`)).toBe('second\n')
  await until(async () => !(await problems()).includes('waits: cannot'))
})

test.skipIf(!hasHttpBackend)('nobody sees the password in the address of a repository', async () => {
  let server: HttpsServer | undefined
  const encoded = encodeURIComponent(password)
  const { daemon, workers, bare, start, send } = await openMachines(
    [write('first.txt', 'first\n'), write('second.txt', 'second\n'), { reply: 'It is done.' }],
    async (repository) => {
      server = await startHttpsServer(path.dirname(repository))
      const address = server.address(path.basename(repository), `${user}:${encoded}`)
      return { repository: address, files: { '.gitconfig': server.settings() } }
    },
  )
  const refuse: HttpsServer['intercept'] = ({ url }, response) => {
    if (url?.includes('git-receive-pack') !== true) return false
    response.writeHead(403).end()
    return true
  }
  if (server !== undefined) server.intercept = refuse
  const a = await start('a')
  send('Do it.')
  const status = async () => (await daemon.cadre(['status', '--json'])).stdout
  await until(async () => (await status()).includes('waits: cannot push to https://***@127.0.0.1'))
  const outputs = [
    await status(),
    (await daemon.cadre(['doctor', '--json'], { env: { CADRE_TRUST: '1' } })).stdout,
    (await daemon.cadre(['config', 'list'], { env: { CADRE_TRUST: '1' } })).stdout,
  ]
  expect(outputs[1]).toMatch(/cannot push to https:\/\/\*\*\*@127\.0\.0\.1\S* .*403/)
  if (server !== undefined) server.intercept = undefined
  const session = await sessionOf(daemon)
  await until(() => /^status: completed/m.test(session.read()))
  expect(git(bare, 'show', `cadre/${session.id}:second.txt`)).toBe('second\n')
  expect(session.read()).toContain(`branch cadre/${session.id} of https://***@127.0.0.1`)
  outputs.push(a.stdout(), a.stderr(), git(bare, 'log', '--all'))
  for (const project of [daemon, ...workers])
    for (const file of readdirSync(project.path, { recursive: true, withFileTypes: true }))
      if (file.isFile() && file.name !== 'config.yaml')
        outputs.push(readFileSync(path.join(file.parentPath, file.name), 'latin1'))
  for (const output of outputs) for (const secret of [password, encoded]) expect(output).not.toContain(secret)
})

test('a worker without a repository does not start, and one with another setting refuses the tree', async () => {
  const { project, keeper, startWorker } = await openEngineProject({
    'playbook.yaml': { lanes: { planner: [{ reply: 'done' }] } },
    '.cadre/templates/planner.agent.yaml': agent,
  })
  await startWorker()
  const id = 'planner-1'
  const rested = new Promise((resolve) => keeper.onRest((_, result) => resolve(result)))
  await keeper.start({ id, agent: 'planner', work: 'x', workspace: `/cadre/checkouts/${id}` })
  expect(await rested).toMatchObject({ kind: 'failed', code: 'configuration' })

  const config = '.cadre/config.yaml'
  project.write(config, project.read(config).replace('"kind"', '"workspace": "checkout", "kind"'))
  const refused = await project.cadre(['worker', '--trust', '--port', String(await freePort())], {
    ownProcess: true,
  })
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('engine.repository is not set')
  expect(readdirSync(project.at('.cadre'))).not.toContain('.checkouts')
})
