import { readdirSync, writeFileSync } from 'node:fs'
import type { ModelRequest } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { openHome, openMailboxes } from '@cadre/home'
import { createFileEngine } from '@cadre/journal'
import { createMailboxDuty, createTaskDuty } from '@cadre/server'
import { openTaskFiles } from '@cadre/tasks'
import { call, createTestTeam, say } from '@cadre/testing'
import { createTools } from '@cadre/tools'
import { expect, test } from 'vitest'
import {
  template,
  temporaryHome,
  testDaemon,
  until,
} from '../../packages/server/src/daemon/daemon.spec-helpers.ts'

const budget = 'budget: { tokens: 60000 }\n'
const page = (count: number) =>
  Array.from({ length: count }, (_, at) => `- [ ] @worker "Part ${at + 1}"\n  id: part-${at + 1}`).join('\n')
const planned = call(['create_task', { file: 'tasks/plan.task.md', content: page(6) }])
const dear = { ...say('done'), usage: { input: 900, output: 14_000 } }

function open() {
  const { home, workspace } = temporaryHome()
  template(home, 'planner', budget)
  template(home, 'worker')
  home.folder('tasks')
  const tasks = openTaskFiles({ folder: home.at('tasks') })
  const daemon = () =>
    testDaemon(home, workspace, {
      lanes: { planner: [planned, say('planned'), say('told')], worker: [dear] },
      tools: createTools({ home: home.path }).filter(({ name }) => name === 'create_task'),
      duties: (context) => [createTaskDuty(context, { tasks, parallel: 6, missingMs: 0 })],
    })
  const states = () =>
    ['part-1', 'part-2', 'part-3', 'part-4', 'part-5', 'part-6'].map((id) => tasks.find(id)?.task)
  return { home, workspace, daemon, states }
}

/** As counted by the model, which respects its limit. */
const spentBy = (requests: readonly ModelRequest[]) =>
  requests
    .filter(({ agent }) => agent === 'worker')
    .reduce((sum, { maxOutput = Infinity }) => sum + 900 + Math.min(14_000, maxOutput), 0)
const isOver = (state: string | undefined) => state === 'done' || state === 'failed'

test('tasks that a session creates spend from its budget together', async () => {
  const { home, daemon, states } = open()
  const running = daemon()
  await running.start()
  writeFileSync(home.at('tasks', 'first.task.md'), '- [ ] @planner "Plan it"\n  id: plan\n')
  await until(() => states().every((task) => isOver(task?.state)))
  expect(spentBy(running.models.requests)).toBeLessThanOrEqual(60_000)
  expect(spentBy(running.models.requests)).toBeGreaterThan(40_000)
  const failed = states().filter((task) => task?.state === 'failed')
  expect(failed.length).toBeGreaterThan(0)
  expect(JSON.stringify(failed.map((task) => [...(task?.fields ?? [])]))).toContain(
    'the budget of planner (60000 tokens)',
  )
  expect(readdirSync(home.at('storage', 'charges', 'planner-plan'))).toHaveLength(6)
})

test('a task waits while another process runs the session that pays for it', async () => {
  const { home, workspace, daemon, states } = open()
  const other = await createFileEngine({
    home: openHome({ home: home.path, cwd: '/', env: {} }),
    clock: systemClock,
    identity: { token: 'another-process' },
  })
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const team = createTestTeam({
    agents: [{ name: 'planner', limits: { budget: { tokens: 60_000 } } }, { name: 'worker' }],
    tools: createTools({ home: home.path }).filter(({ name }) => name === 'create_task'),
    engine: other,
    clock: systemClock,
    lanes: {
      planner: [
        planned,
        async () => {
          await held
          return say('planned')
        },
        say('told'),
      ],
    },
  })
  const planning = team.run({ id: 'plan', agent: 'planner', workspace })
  const running = daemon()
  await running.start()
  await until(() => states().every((task) => task?.state === 'running'))
  await until(
    () => running.events.length === 0 && running.happenings.some(({ type }) => type === 'task.started'),
  )
  expect(running.models.requests).toEqual([])
  letGo()
  await planning
  await other.close()
  await until(() => states().every((task) => isOver(task?.state)))
  expect(spentBy(running.models.requests)).toBeLessThanOrEqual(60_000)
  expect(spentBy(running.models.requests)).toBeGreaterThan(40_000)
})

test('sessions that messages start spend from the sender’s budget', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'planner', budget)
  const workers = ['worker', 'second', 'third', 'fourth', 'fifth', 'sixth']
  for (const name of workers) template(home, name)
  home.folder('tasks')
  const tasks = openTaskFiles({ folder: home.at('tasks') })
  const running = testDaemon(home, workspace, {
    lanes: {
      planner: [say('planned')],
      ...Object.fromEntries(workers.map((name) => [name, [dear]])),
    },
    duties: (context) => [createTaskDuty(context, { tasks, missingMs: 0 }), createMailboxDuty(context)],
  })
  await running.start()
  writeFileSync(home.at('tasks', 'first.task.md'), '- [ ] @planner "Plan it"\n  id: plan\n')
  await until(() => tasks.find('plan')?.task.state === 'done')
  const message = { at: '', from: 'planner', session: 'planner-plan', text: 'Do your part', depth: 1 }
  for (const to of workers) await openMailboxes(home).post({ ...message, id: to, to })
  const ended = () =>
    running.events.filter(({ type, session }) => type === 'session.ended' && session !== 'planner-plan')
  await until(() => ended().length === workers.length)
  const spent = running.models.requests
    .filter(({ agent }) => agent !== 'planner')
    .reduce((sum, { maxOutput = Infinity }) => sum + 900 + Math.min(14_000, maxOutput), 0)
  expect(spent).toBeLessThanOrEqual(60_000)
  expect(spent).toBeGreaterThan(40_000)
  expect(readdirSync(home.at('storage', 'charges', 'planner-plan'))).toHaveLength(6)
})
