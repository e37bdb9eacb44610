import { appendFileSync } from 'node:fs'
import { openHome } from '@cadre/home'
import { readStoredSession } from '@cadre/journal'
import { expect, test } from 'vitest'
import { until } from '../cli/support/until.ts'
import { openEngineProject } from './support/engine-project.ts'
import { approve, pendingApproval } from './support/pending-approval.ts'

const slow = `node -e "require('node:fs').appendFileSync('runs.txt', 'x'); setTimeout(() => {}, 3000)"`

const playbook = {
  lanes: {
    planner: [
      { calls: [{ tool: 'execute_command', input: { command: slow } }] },
      { reply: 'It is done.' },
      { reply: 'A second answer.' },
      { reply: 'A third answer.' },
    ],
  },
}

const files = {
  'playbook.yaml': playbook,
  '.cadre/templates/planner.agent.yaml':
    'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n',
  '.cadre/inbox/routes.yaml': { routes: [{ from: 'notes', to: 'planner' }] },
}

test('a message in the inbox becomes a run on a worker that is killed, and its approvals are decided by commands', async () => {
  const { project, keeper, startWorker, startDaemon } = await openEngineProject(files)
  const first = await startWorker()
  await startDaemon()
  const inbox = project.at('.cadre/inbox/notes.jsonl')
  appendFileSync(inbox, `${JSON.stringify({ id: 'n1', user: 'boss', text: 'Do it.' })}\n`)
  const asked = await pendingApproval(project, 'terminal_command')
  const [session = ''] = project.sessions()
  const file = `.cadre/sessions/${session}.session.yaml`
  expect(project.read(file)).toMatch(/^status: sleeping/m)

  expect((await project.cadre(['approve', asked, '--trust'])).code).toBe(0)
  await until(() => project.exists('runs.txt') && project.read('runs.txt') !== '')
  first.child.kill('SIGKILL')
  await first.ended()
  await startWorker()

  await approve(project, 'in_doubt', '--done')
  await until(() => /^status: completed/m.test(project.read(file)))
  expect(project.read('runs.txt')).toBe('x')
  const home = openHome({ home: project.at('.cadre'), cwd: project.path, env: {} })
  const compare = async () => {
    const { isRunning, ...archived } = (await keeper.read(session)) ?? { isRunning: true }
    expect(isRunning).toBe(false)
    expect(readStoredSession(home, session)).toEqual(archived)
  }
  await compare()
  const refused = await project.cadre(['resume', session, 'More work.', '--trust'])
  expect(refused.stderr).toContain('runs on the Restate engine')

  // A person continues the conversation in the file.
  appendFileSync(project.at(file), '  - role: user\n    content: And now?\n')
  await until(() => project.read(file).includes('A second answer.'))
  await until(() => /^status: completed/m.test(project.read(file)))
  await compare()
  const [status] = (await project.cadre(['status', '--json'])).json()
  expect(status).toMatchObject({ running: true, problems: [] })
  const doctor = await project.cadre(['doctor', '--json'], { env: { CADRE_TRUST: '1' } })
  const { checks } = JSON.parse(doctor.stdout) as {
    checks: { name: string; status: string; message: string }[]
  }
  const ofEngine = checks.filter(({ name }) => name === 'engine')
  // The card of the worker that was killed is still recent.
  expect(ofEngine.map((check) => check.status)).toEqual(['ok', 'ok'])
  expect(ofEngine[1]?.message).toMatch(/has \d workers?: /)
})
