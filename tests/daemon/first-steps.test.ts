/** What a person meets in the first minutes: no model yet, two ways to assign tasks, and the effects of decisions. */
import { openHome, runningProcess } from '@cadre/home'
import { expect, onTestFinished } from 'vitest'
import { createProject, type Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { sampled } from '../support/amount.ts'

const test = sampled(4)

const limit = { timeout: 120_000 }

async function createTeam(planner: readonly object[]): Promise<Project> {
  const project = createProject({ 'p.yaml': { lanes: { 'planner-001': planner } } })
  expect((await project.cadre(['init', '--team', 'operators'])).stdout).toContain('cadre up')
  return project
}

async function up(project: Project, ...flags: string[]): Promise<void> {
  onTestFinished(async () => void (await project.cadre(['down'])))
  const { code, stderr } = await project.cadre(['up', '--detach', ...flags])
  expect([code, stderr]).toEqual([0, ''])
}

const status = async (project: Project) => (await project.cadre(['status', '--json'])).json()[0] ?? {}
const said = (project: Project) =>
  project
    .sessions()
    .filter((id) => id.startsWith('planner-001'))
    .map((id) => project.read(`.cadre/sessions/${id}.session.yaml`))
    .join('\n')

test('without a model, a message waits, and is handled when the configuration names one', limit, async () => {
  const project = await createTeam([{ reply: 'Here I am.' }])
  onTestFinished(async () => void (await project.cadre(['down'])))
  expect((await project.cadre(['up', '--detach'])).stderr).toContain('no model is configured')
  const problems = async () => JSON.stringify((await status(project))['problems'])
  await until(async () => (await problems()).includes('no model is configured'))
  project.write('.cadre/inbox/slack-messages.jsonl', '{"user": "ann", "text": "Hello?"}\n')
  await until(async () =>
    (await problems()).includes('Cannot handle this line, so it and the lines after it stay queued'),
  )
  expect(project.sessions()).toEqual([])
  project.write('.cadre/config.yaml', 'entry: planner-001\nmodel: scripted:../p.yaml\n')
  await until(() => said(project).includes('Here I am.'))
  await until(async () => (await problems()) === '[]')
})

const plan = [
  { calls: [{ tool: 'create_task', input: { title: 'Wait for it', who: ['human'] } }] },
  { calls: [{ tool: 'send_message', input: { to: 'retriever-001', text: 'x' } }] },
  { reply: 'Planned: {{last}}' },
]

test('an agent that creates tasks is told that a daemon starts them', limit, async () => {
  const project = await createTeam(plan)
  await up(project, '--model', 'scripted:p.yaml')
  project.write('.cadre/inbox/slack-messages.jsonl', '{"user": "ann", "text": "Plan it."}\n')
  await until(() => said(project).includes('Planned: '))
  expect(said(project)).toContain('A daemon is running for this home')
  expect(said(project)).not.toContain('No daemon')
})

test('and that nothing does if none is running', limit, async () => {
  const project = await createTeam(plan)
  await project.cadre(['run', '--model', 'scripted:p.yaml', 'Plan it.'])
  expect(said(project)).toContain('No daemon is running for this home directory, so these tasks do not start')
  expect(said(project)).toContain('No daemon is running for this home directory, so the message stays')
})

test('in a folder without a home it explains how to create one, and writes nothing', limit, async () => {
  const project = createProject()
  for (const command of [['status'], ['up'], ['up', '--detach']]) {
    const { code, stderr } = await project.cadre(command)
    expect(code).toBe(2)
    expect(stderr).toContain('Create one with "cadre init --team NAME"')
  }
  expect(await project.cadre(['down'])).toMatchObject({ code: 0 })
  expect(project.listing()).toEqual([])
})

test('temporary files of editors are ignored, and decisions are reported as such', limit, async () => {
  const project = await createTeam([
    { calls: [{ tool: 'slack_send', input: { channel: '#ops', text: 'Yes.' } }] },
    { reply: 'It is sent.' },
  ])
  await up(project, '--model', 'scripted:p.yaml')
  project.write('.cadre/inbox/slack-messages.jsonl', '{"user": "ann", "text": "Answer."}\n')
  // Not only requested: the session is suspended, so that the daemon must wake it.
  await until(async () => {
    const { approvals, sessions } = (await status(project)) as {
      approvals: unknown[]
      sessions: { running: unknown[] }
    }
    return approvals.length === 1 && sessions.running.length === 0
  })
  project.write('.cadre/tasks/4913', 'x')
  project.write('.cadre/tasks/.a.task.md.swp', 'x')
  const listed = (await project.cadre(['approvals', '--json'])).stdout
  const [waiting] = JSON.parse(listed) as { id: string; session: string }[]
  // The daemon gives up the session a moment after it reports that the session is suspended.
  const home = openHome({ home: project.at('.cadre'), cwd: project.at(), env: {} })
  await until(() => runningProcess(home, waiting?.session ?? '') === undefined)
  const { stdout } = await project.cadre(['approve', waiting?.id ?? ''])
  expect(stdout).toContain('The daemon resumes planner-001-')
  await until(() => said(project).includes('It is sent.'))
  await project.cadre(['down'])
  const log = project.read('.cadre/storage/daemon.log')
  expect(log).toContain('was approved by')
  expect(log).not.toContain('edited by hand')
})

test('without git the team still plans, and a notice reports it', limit, async () => {
  const project = await createTeam(plan)
  onTestFinished(async () => void (await project.cadre(['down'])))
  const env = { PATH: project.path }
  expect((await project.cadre(['up', '--detach', '--model', 'scripted:p.yaml'], { env })).code).toBe(0)
  project.write('.cadre/inbox/slack-messages.jsonl', '{"user": "ann", "text": "Plan it."}\n')
  await until(() => said(project).includes('Planned: '))
  expect((await project.cadre(['status'])).stdout).toContain('git is not in PATH')
})

test('a session that starts in an editor records its time', limit, async () => {
  const project = await createTeam([{ reply: 'Here I am.' }])
  await up(project, '--model', 'scripted:p.yaml')
  const file = '.cadre/sessions/talk.session.yaml'
  project.write(file, 'agent_id: planner-001\nmessages:\n  - role: user\n    content: Hello?\n')
  await until(() => project.read(file).includes('Here I am.'))
  expect(project.read(file)).toMatch(/^created: '\d{4}-\d\d-\d\dT/m)
})
