import { expect } from 'vitest'
import { agentFile, deployTool } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { sampled } from '../support/amount.ts'
import {
  agent,
  createMachine,
  noMount,
  personSession,
  skipTitle,
  startDaemon,
  statusOf,
  untilHealthy,
  untilProblem,
  whileSuspended,
} from './machine.ts'

const test = sampled(4)

const readOnly = test.skipIf(noMount !== undefined)
const worker = { ...agent('worker'), 'playbook.yaml': { lanes: { worker: [{ reply: 'it is done' }] } } }
const up = ['up', '--trust', '--model', 'scripted:playbook.yaml']

readOnly(
  skipTitle('in a home that is read-only nothing starts, and one sentence says what to do', noMount),
  async () => {
    const machine = createMachine(worker)
    machine.lock()
    for (const args of [up, [...up, '--detach']]) {
      const { code, stderr, stdout } = await machine.cadre(args)
      expect(code).toBe(2)
      expect(stdout).toBe('')
      expect(stderr.trim().split('\n')).toHaveLength(1)
      expect(stderr).toContain('. The home directory is read-only. Make it writable, or ')
    }
    expect((await machine.cadre(['status'])).stdout).toContain('No daemon is running')
    machine.unlock()
    const daemon = await startDaemon(machine)
    expect(await daemon.stop()).toBe(0)
  },
)

readOnly(skipTitle('the status of a home that is read-only lists pending approvals', noMount), async () => {
  const machine = createMachine({
    ...agentFile('lead'),
    ...deployTool,
    'playbook.yaml': { lanes: { lead: [{ calls: [{ tool: 'deploy', input: {} }] }] } },
  })
  expect((await machine.cadre(['run', ...up.slice(1), 'Deploy it.'])).code).toBe(3)
  const [approval] = (await machine.cadre(['approvals', '--json', '--trust'])).json().flat()
  machine.lock()
  const { code, stdout } = await machine.cadre(['status'])
  expect(code).toBe(0)
  expect(stdout).toContain('No daemon is running')
  expect(stdout).toContain(`? ${approval?.['id']}  lead deploy`)
})

readOnly(
  skipTitle(
    'a home that turns read-only is a problem, and everything goes on when it is writable again',
    noMount,
  ),
  async () => {
    const machine = createMachine(worker)
    const daemon = await startDaemon(machine)
    await whileSuspended(daemon, () => {
      machine.write('.cadre/tasks/a.task.md', '- [ ] A @worker "one"\n  id: t1\n')
      machine.write('.cadre/sessions/talk.session.yaml', personSession('worker'))
      machine.lock()
    })
    await untilProblem(machine, 'The home directory is read-only')
    expect((await statusOf(machine)).pid).toBe(daemon.pid)
    machine.unlock()
    await until(() => /\[x\]/.test(machine.read('.cadre/tasks/a.task.md')))
    await until(() => machine.read('.cadre/sessions/talk.session.yaml').includes('it is done'))
    await untilHealthy(machine)
    expect(await daemon.stop()).toBe(0)
  },
)

readOnly(skipTitle('a daemon whose home is read-only stops when it is told to', noMount), async () => {
  const machine = createMachine(worker)
  const daemon = await startDaemon(machine)
  machine.lock()
  await untilProblem(machine, 'The home directory is read-only')
  expect(await daemon.stop()).toBe(0)
  machine.unlock()
  const next = await startDaemon(machine)
  expect(await next.stop()).toBe(0)
})
