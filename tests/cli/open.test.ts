import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { logIn, type Opened } from './support/log-in.ts'
import { createProject, type Project } from './support/project.ts'
import { until } from './support/until.ts'

function createHome(): Project {
  return createProject({
    'playbook.yaml': 'lanes:\n  planner:\n    - reply: hello from the planner\n',
    '.cadre/templates/planner.agent.yaml':
      'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n',
    '.cadre/sessions/talk.session.yaml': 'agent_id: planner\nmessages:\n  - role: user\n    content: hi\n',
  })
}

test('serves the page itself without a daemon, changes nothing, and ends with Ctrl-C', async () => {
  const project = createHome()
  const before = project.listing()
  const running = project.start(['open', '--json', '--no-browser', '--port', '0', '--role', 'viewer'])
  await running.until((stdout) => stdout.includes('\n'))
  const opened = JSON.parse(running.stdout()) as Opened
  expect(opened).toMatchObject({ type: 'page', daemon: false, roles: ['viewer'] })
  const client = await logIn(opened)
  const { items } = await client.listSessions()
  expect(items).toEqual([expect.objectContaining({ id: 'talk', agent: 'planner', state: 'waiting' })])
  await expect(client.resumeSession({ params: { id: 'talk' } })).rejects.toMatchObject({
    status: expect.any(Number),
  })
  running.child.kill('SIGINT')
  expect((await running.ended()).code).toBe(0)
  expect(project.listing()).toEqual(before)
})

test('lets a running daemon serve the page, with one login per link', async () => {
  const project = createHome()
  onTestFinished(async () => {
    await project.cadre(['down', '--trust'])
  })
  const up = await project.cadre(['up', '--detach', '--trust', '--model', 'scripted:playbook.yaml'])
  expect(up.code).toBe(0)
  const both = [
    await project.cadre(['open', '--json']),
    await project.cadre(['open', '--json', '--read-only']),
  ]
  const [first, second] = both.map((ended) => ended.json()[0] as unknown as Opened)
  if (first === undefined || second === undefined) throw new Error('nothing was opened')
  expect([first.daemon, second.address]).toEqual([true, first.address])
  const client = await logIn(first)
  expect(await client.me()).toMatchObject({ daemon: true, roles: ['viewer', 'operator', 'approver'] })
  await until(async () => (await client.listSessions()).items[0]?.state === 'ended')
  expect((await (await logIn(second)).me()).roles).toEqual(['viewer'])
  await expect(logIn(first)).rejects.toThrow()
  expect((await project.cadre(['open', '--port', '1'])).stderr).toContain('serves the page on its own port')
})

test('does not open the page for an agent', async () => {
  const project = createHome()
  const home = createHash('sha256').update(project.at('.cadre')).digest('hex').slice(0, 16)
  const { code, stdout, stderr } = await project.cadre(['open', '--json'], {
    env: { CADRE_COMMAND: `0.${home}` },
  })
  expect([code, stdout]).toEqual([4, expect.not.stringContaining('key=')])
  expect(stdout + stderr).toContain("an agent's command requested this")
})

test('names --port if another program uses the port', async () => {
  const project = createHome()
  const other = createServer()
  onTestFinished(() => void other.close())
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { code, stderr } = await project.cadre(['open', '--port', String(port)])
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      `cannot start the server for the page: another program is already using port ${port} on 127.0.0.1. Choose another port with --port, or omit --port.\n`,
    ),
  ])
})

test('rejects combinations that contradict each other', async () => {
  const project = createHome()
  const { code, stderr } = await project.cadre(['open', '--read-only', '--role', 'admin'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be combined')])
})

test('writes the newest run to one HTML file that needs no server', async () => {
  const project = createHome()
  const result = await project.cadre(['open', '--export', 'out', '--json'])
  expect(result.code).toBe(0)
  const told = JSON.parse(result.stdout) as { path: string }
  expect(told).toMatchObject({ type: 'exported', session: 'talk', root: 'talk', sessions: 1 })
  expect(told.path.endsWith('/out/cadre-talk.html')).toBe(true)
  const html = project.read('out/cadre-talk.html')
  expect(html).toContain(`content="default-src 'none'; script-src 'sha256-`)
  expect(html).toContain('"content":"hi"')
  // The same file again.
  expect((await project.cadre(['open', '--export', 'out', '--session', 'ta'])).stdout).toContain('1 session')
})

test.each([
  [['--session', 'talk'], '--session needs --export'],
  [['--export', 'out', '--port', '0'], '--export and --port cannot be combined'],
  [['--export', 'out', '--read-only'], '--export and --read-only cannot be combined'],
  [['--export', 'out', '--session', 'nope'], 'there is no session "nope"'],
  [
    ['--export', '.cadre/sessions/talk.session.yaml'],
    '--export needs a folder; .cadre/sessions/talk.session.yaml is a file.',
  ],
  [['--port', '70000'], 'must be a port: an integer from 0 to 65535'],
  [['--port', '-1'], 'must be a port: an integer from 0 to 65535'],
])('rejects %j', async (flags, why) => {
  const project = createHome()
  const result = await project.cadre(['open', ...flags])
  expect(result.code).not.toBe(0)
  expect(result.stderr).toContain(why)
  expect(project.listing().some((name) => name.includes('out'))).toBe(false)
})
