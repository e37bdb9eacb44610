import { renameSync } from 'node:fs'
import { thisProcess } from '@cadre/disk'
import { expect, test } from 'vitest'
import { createProject, type Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { amount } from '../support/amount.ts'
import { agent, startDaemon, statusOf } from './machine.ts'

const worker = {
  ...agent('worker'),
  'playbook.yaml': { lanes: { worker: [{ reply: 'it is done' }] } },
}
const up = ['up', '--trust', '--model', 'scripted:playbook.yaml']
const lease = '.cadre/storage/leases/.daemon.lease'

test('of many concurrent starts exactly one runs, and the others exit and name it', {
  timeout: 120_000,
}, async () => {
  const project = createProject(worker)
  const all = Array.from({ length: amount({ usual: 3, deep: 10 }) }, () => project.start(up))
  const ended: { code: number | null; stderr: string }[] = []
  for (const one of all) void one.ended().then((end) => ended.push(end))
  await until(() => ended.length === all.length - 1)
  const status = await statusOf(project)
  const owner = all.find(({ pid }) => pid === status.pid)
  expect(status.running).toBe(true)
  for (const { code, stderr } of ended) {
    expect(code).toBe(6)
    expect(stderr).toContain(`process ${status.pid} on `)
    expect(stderr).toContain('cadre down')
  }
  await owner?.until((stdout) => stdout.includes('Watching '))
  process.kill(status.pid, 'SIGKILL')
  await owner?.ended()
  const next = await startDaemon(project)
  expect((await statusOf(project)).pid).toBe(next.pid)
  expect(await next.stop()).toBe(0)
})

test('a suspended daemon that was replaced leaves the home alone, and exits', async () => {
  const project = createProject(worker)
  const running = project.start(up)
  await running.until((stdout) => stdout.includes('Watching '))
  process.kill(running.pid, 'SIGSTOP')
  const stopped = performance.now()
  takeOverAs(project, process.pid)
  const before = project.read('.cadre/storage/daemon.json')
  project.write('.cadre/tasks/a.task.md', '- [ ] A @worker "one"\n  id: t1\n')
  // For a moment it may assume that nothing has changed since its last check.
  await until(() => performance.now() - stopped > 1000)
  process.kill(running.pid, 'SIGCONT')
  const { code, stderr } = await running.ended()
  expect(code).toBe(6)
  expect(stderr).toContain('another process has taken over the home')
  expect(project.read('.cadre/tasks/a.task.md')).toContain('[ ]')
  expect(project.read('.cadre/storage/daemon.json')).toBe(before)
  expect(project.sessions()).toEqual([])
  expect(JSON.parse(project.read(lease)).pid).toBe(process.pid)
})

/** Takes over as a process of another machine does after waiting long enough. */
function takeOverAs(project: Project, pid: number): void {
  project.write(`${lease}.draft`, thisProcess({ pid }))
  renameSync(project.at(`${lease}.draft`), project.at(lease))
}
