import { expect } from 'vitest'
import { createProject } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { sampled } from '../support/amount.ts'
import { agent, startDaemon, statusOf } from './machine.ts'

const test = sampled(2)

const files = {
  ...agent('worker'),
  'playbook.yaml': { lanes: { worker: [{ reply: 'from the daemon' }] } },
  'slow.yaml': { lanes: { worker: [{ reply: 'never', wait: 600_000 }] } },
}

test('a session that another process runs is left to it, and continued when that dies', async () => {
  const project = createProject(files)
  const daemon = await startDaemon(project)
  const other = project.start(['run', '--agent', 'worker', '--model', 'scripted:slow.yaml', 'do it'])
  await until(() => project.sessions().length === 1)
  const [id] = project.sessions()
  const file = `.cadre/sessions/${id}.session.yaml`
  await until(() => project.read(file).includes('do it'))
  // A message to it while it runs elsewhere: this process does not touch it.
  expect((await statusOf(project)).sessions.running).toEqual([])
  // A session keeps its model, and the next process should not wait.
  project.write('slow.yaml', files['playbook.yaml'])
  process.kill(other.pid, 'SIGKILL')
  await other.ended()
  await until(() => /^status: completed/m.test(project.read(file)))
  expect(project.read(file)).toContain('from the daemon')
  expect(await daemon.stop()).toBe(0)
})

test('a task whose session another process has taken is settled when that process is gone', async () => {
  const project = createProject({
    ...files,
    '.cadre/tasks/a.task.md': '- [ ] A @worker "one"\n  id: t1\n',
  })
  const first = project.start(['up', '--trust', '--model', 'scripted:slow.yaml'])
  await until(() => project.sessions().includes('worker-t1'))
  await until(() => project.read('.cadre/sessions/worker-t1.session.yaml').includes('role: user'))
  process.kill(first.pid, 'SIGKILL')
  await first.ended()
  const other = project.start(['resume', 'worker-t1', '--model', 'scripted:slow.yaml'])
  await until(() => project.exists('.cadre/storage/leases/worker-t1.lease'))
  await until(() => JSON.parse(project.read('.cadre/storage/leases/worker-t1.lease')).pid === other.pid)
  const daemon = await startDaemon(project)
  expect((await statusOf(project)).sessions.running).toEqual([])
  // A session keeps its model, and the next process should not wait.
  project.write('slow.yaml', files['playbook.yaml'])
  process.kill(other.pid, 'SIGKILL')
  await other.ended()
  await until(() => /\[x\]/.test(project.read('.cadre/tasks/a.task.md')))
  expect(project.sessions()).toEqual(['worker-t1'])
  expect(await daemon.stop()).toBe(0)
})
