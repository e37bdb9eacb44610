import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import { sampled } from '../support/amount.ts'
import { createProject, type Project } from './support/project.ts'
import { until } from './support/until.ts'

const test = sampled(3)

const playbook = `lanes:
  planner:
    - reply: hello from the planner
    - reply: and once more
    - reply: a third time
`

function createHome(files: Record<string, string> = {}): Project {
  const project = createProject({
    'playbook.yaml': playbook,
    '.cadre/templates/planner.agent.yaml':
      'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n',
    ...files,
  })
  onTestFinished(async () => {
    await project.cadre(['down'])
  })
  return project
}

const up = ['up', '--detach', '--trust', '--model', 'scripted:playbook.yaml']

interface Status {
  readonly running: boolean
  readonly sessions: { readonly running: readonly string[] }
  readonly problems: readonly object[]
}

async function statusOf(project: Project): Promise<Status> {
  return (await project.cadre(['status', '--json'])).json()[0] as unknown as Status
}

test('watches a home from up to down: a file is written, and the agent answers there', async () => {
  const project = createHome()
  expect((await project.cadre(['status'])).stdout).toContain('No daemon is running')
  expect((await project.cadre(['down'])).stdout).toContain('No daemon is running')
  const started = await project.cadre(up)
  expect(started).toMatchObject({ code: 0, stderr: '' })
  const pid = Number(/process (\d+)/.exec(started.stdout)?.[1])
  project.write(
    '.cadre/sessions/talk.session.yaml',
    'agent_id: planner\nmessages:\n  - role: user\n    content: hi\n',
  )
  await until(() => project.read('.cadre/sessions/talk.session.yaml').includes('hello from the planner'))
  await until(() => /^status: completed/m.test(project.read('.cadre/sessions/talk.session.yaml')))
  appendFileSync(project.at('.cadre/sessions/talk.session.yaml'), '  - role: user\n    content: again\n')
  await until(() => project.read('.cadre/sessions/talk.session.yaml').includes('and once more'))
  const second = await project.cadre(['up'])
  expect(second.code).toBe(6)
  expect(second.stderr).toMatch(new RegExp(`process ${pid} on \\S+\\. Inspect it with "cadre status"`))
  expect(await statusOf(project)).toMatchObject({ running: true, pid, workspace: project.path, problems: [] })
  const stopped = await project.cadre(['down'])
  expect(stopped).toMatchObject({ code: 0 })
  expect(project.exists('.cadre/storage/leases/.daemon.lease')).toBe(false)
})

test('takes over from a killed daemon, and continues its work', async () => {
  const project = createHome({
    'playbook.yaml': `lanes:
  planner:
    - reply: working on it
      wait: 600000
`,
  })
  const first = await project.cadre(up)
  const pid = Number(/process (\d+)/.exec(first.stdout)?.[1])
  project.write(
    '.cadre/sessions/talk.session.yaml',
    'agent_id: planner\nmessages:\n  - role: user\n    content: hi\n',
  )
  await until(async () => (await statusOf(project)).sessions.running.includes('talk'))
  process.kill(pid, 'SIGKILL')
  await until(async () => (await statusOf(project)).running === false)
  expect(project.read('.cadre/sessions/talk.session.yaml')).toMatch(/^status: active/m)
  writeFileSync(project.at('playbook.yaml'), playbook)
  expect((await project.cadre(up)).code).toBe(0)
  await until(() => project.read('.cadre/sessions/talk.session.yaml').includes('hello from the planner'))
})

test('shows a broken file with its line until it is fixed', async () => {
  const project = createHome()
  await project.cadre(up)
  project.write('.cadre/sessions/bad.session.yaml', 'agent_id: planner\nstatus: nonsense\nmessages: []\n')
  await until(async () => (await statusOf(project)).problems.length === 1)
  const { stdout } = await project.cadre(['status'])
  expect(stdout).toContain('sessions/bad.session.yaml:2: ')
  await project.cadre(['down'])
  expect((await project.cadre(['status'])).stdout).toMatch(/Last known problems:\n.*bad\.session\.yaml:2/)
})

test('in the foreground it prints events, and one Ctrl-C shuts down cleanly', async () => {
  const project = createHome()
  const running = project.start(['up', '--trust', '--model', 'scripted:playbook.yaml'])
  await running.until((stdout) => stdout.includes('Watching '))
  project.write(
    '.cadre/sessions/talk.session.yaml',
    'agent_id: planner\nmessages:\n  - role: user\n    content: hi\n',
  )
  await running.until((stdout) => stdout.includes('planner: completed'))
  running.child.kill('SIGINT')
  expect(await running.ended()).toMatchObject({ code: 0 })
  expect(running.stdout()).toContain('edited by hand: sessions/talk.session.yaml')
})

test('without a home, or in a read-only one, it explains what to do', async () => {
  const empty = createProject()
  const none = await empty.cadre(['up'])
  expect(none.code).toBe(2)
  expect(none.stderr).toContain('cadre init')
  expect((await empty.cadre(['up', '--detach'])).stderr).toContain('cadre init')
  if (process.getuid?.() === 0) return
  const project = createHome()
  chmodSync(project.at('.cadre'), 0o555)
  onTestFinished(() => chmodSync(project.at('.cadre'), 0o755))
  const locked = await project.cadre(['up'])
  expect(locked.code).toBe(2)
  expect(locked.stderr).toContain('--home')
  expect(readFileSync(project.at('playbook.yaml'), 'utf8')).toBe(playbook)
})
