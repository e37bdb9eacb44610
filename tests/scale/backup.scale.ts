import { appendFileSync, cpSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createProject } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { openEngineProject } from './support/engine-project.ts'
import { approve, pendingApproval } from './support/pending-approval.ts'

const command = `node -e "require('node:fs').appendFileSync('runs.txt', 'x')"`

const files = {
  'playbook.yaml': {
    lanes: {
      planner: [
        { calls: [{ tool: 'execute_command', input: { command } }] },
        { reply: 'It is done.' },
        { reply: 'A second answer.' },
      ],
    },
  },
  '.cadre/templates/planner.agent.yaml':
    'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n',
  '.cadre/inbox/routes.yaml': { routes: [{ from: 'notes', to: 'planner' }] },
}

test('a backup is restored as in the guide: a session that waits for an approval continues, and an edit reaches it', async () => {
  const { project, engine, startWorker, startDaemon, restartEngine, keeper } = await openEngineProject(files)
  const worker = await startWorker()
  await startDaemon()
  appendFileSync(
    project.at('.cadre/inbox/notes.jsonl'),
    `${JSON.stringify({ id: 'n1', user: 'boss', text: 'Do it.' })}\n`,
  )
  await pendingApproval(project, 'terminal_command')
  const [session = ''] = project.sessions()
  const file = `.cadre/sessions/${session}.session.yaml`

  // The backup. The data of this server is inside the folder of the daemon.
  engine.child.kill('SIGTERM')
  await engine.ended()
  const backup = createProject()
  cpSync(project.at('.cadre'), backup.at('.cadre'), { recursive: true })
  const restarted = await restartEngine()

  // What happens after it is forgotten.
  await approve(project, 'terminal_command')
  await until(() => project.exists('runs.txt') && /^status: completed/m.test(project.read(file)))

  // Stop the daemon, the workers and the server, remove the folders and copy them back.
  await project.cadre(['down', '--trust'])
  worker.child.kill('SIGTERM')
  await worker.ended()
  restarted.child.kill('SIGTERM')
  await restarted.ended()
  rmSync(project.at('.cadre'), { recursive: true })
  cpSync(backup.at('.cadre'), project.at('.cadre'), { recursive: true })
  await restartEngine()
  await startWorker()
  await startDaemon()

  expect(project.read(file)).toMatch(/^status: sleeping/m)
  // An edit of the waiting session, and then the approval.
  project.write(file, project.read(file).replace('You plan.', 'You plan well.'))
  await until(async () => (await keeper.read(session))?.spec.systemPrompt.includes('You plan well.') === true)
  await approve(project, 'terminal_command')
  await until(() => /^status: completed/m.test(project.read(file)))
  expect(project.read('runs.txt')).toBe('xx')
  expect(project.read(file)).toContain('It is done.')
  appendFileSync(project.at(file), '  - role: user\n    content: And now?\n')
  await until(() => project.read(file).includes('A second answer.'))
  const [status] = (await project.cadre(['status', '--json'])).json()
  expect(status).toMatchObject({ running: true, problems: [] })
})
