import { expect, test } from 'vitest'
import { until } from '../cli/support/until.ts'
import {
  agent,
  createMachine,
  noMount,
  startDaemon,
  statusOf,
  talk,
  titled,
  untilProblem,
  untilWell,
  whileItSleeps,
} from './machine.ts'

const fullDisk = test.skipIf(noMount !== undefined)

const worker = { ...agent('worker'), 'playbook.yaml': { lanes: { worker: [{ reply: 'it is done' }] } } }
const routes = { '.cadre/inbox/routes.yaml': { routes: [{ from: 'mail', to: 'worker' }] } }

fullDisk(
  titled('tasks, messages and sessions wait for space, are said to, and are done once', noMount),
  async () => {
    const machine = createMachine({ ...worker, ...routes })
    const daemon = await startDaemon(machine)
    await whileItSleeps(daemon, () => {
      machine.write(
        '.cadre/tasks/a.task.md',
        '- [ ] A @worker "one"\n  id: t1\n- [ ] A @worker "two"\n  id: t2\n',
      )
      machine.write('.cadre/inbox/mail.jsonl', '{"id":"m1","text":"hello"}\n{"id":"m2","text":"again"}\n')
      machine.write('.cadre/sessions/talk.session.yaml', talk('worker'))
      machine.fill()
    })
    await untilProblem(machine, 'the disk is full')
    expect((await machine.cadre(['status'])).stdout).toContain('the disk is full, and nothing can be written')
    expect(daemon.shown()).toContain('the disk is full')
    expect(machine.read('.cadre/tasks/a.task.md')).not.toMatch(/\[[x-]\]/)
    machine.free()
    await until(() => (machine.read('.cadre/tasks/a.task.md').match(/\[x\]/g) ?? []).length === 2)
    await until(() => machine.read('.cadre/sessions/talk.session.yaml').includes('it is done'))
    await until(() => machine.sessions().filter((id) => id.endsWith('.orig') === false).length === 5)
    await untilWell(machine)
    const sessions = machine.sessions().filter((id) => !id.endsWith('.orig'))
    expect(sessions.filter((id) => id.startsWith('worker-t'))).toHaveLength(2)
    for (const id of sessions)
      await until(() => /^status: completed/m.test(machine.read(`.cadre/sessions/${id}.session.yaml`)))
    const said = sessions.map((id) => machine.read(`.cadre/sessions/${id}.session.yaml`)).join('\n')
    // Each of them was told one thing, once.
    expect(said.match(/^ {4}role: user$/gm)).toHaveLength(5)
    expect((await statusOf(machine)).problems).toEqual([])
    expect(await daemon.stop()).toBe(0)
  },
)

fullDisk(
  titled('a command that ends while there is no space has run once, and its result is kept', noMount),
  async () => {
    const machine = createMachine({
      ...agent('worker'),
      // What it says is more than fits in behind what is there.
      'run.sh':
        'echo x >> runs.txt\nwhile [ ! -e go ]; do sleep 0.05; done\nhead -c 9000 /dev/zero | tr "\\0" y\necho over\n',
      'playbook.yaml': {
        lanes: {
          worker: [
            { calls: [{ tool: 'execute_command', input: { command: 'sh run.sh' } }] },
            { expect: { last: 'over' }, reply: 'it was run' },
          ],
        },
      },
    })
    const daemon = await startDaemon(machine, ['--allow', 'execute'])
    machine.write('.cadre/tasks/a.task.md', '- [ ] A @worker "run it"\n  id: t1\n')
    await until(() => machine.exists('runs.txt'))
    machine.fill()
    machine.write('go', '')
    await untilProblem(machine, 'the disk is full')
    machine.free()
    await until(() => /\[x\]/.test(machine.read('.cadre/tasks/a.task.md')))
    expect(machine.read('runs.txt')).toBe('x\n')
    expect(machine.read('.cadre/tasks/a.task.md')).toContain('it was run')
    await untilWell(machine)
    expect(await daemon.stop()).toBe(0)
  },
)

fullDisk(
  titled(
    'a question that comes up without space is asked when there is some, and its answer counts',
    noMount,
  ),
  async () => {
    const machine = createMachine({
      ...agent('worker'),
      'playbook.yaml': {
        lanes: {
          worker: [
            { calls: [{ tool: 'execute_command', input: { command: 'echo x >> runs.txt' } }] },
            { reply: 'it was run' },
          ],
        },
      },
    })
    const daemon = await startDaemon(machine)
    await whileItSleeps(daemon, () => {
      machine.write('.cadre/tasks/a.task.md', '- [ ] A @worker "run it"\n  id: t1\n')
      machine.fill()
    })
    await untilProblem(machine, 'the disk is full')
    machine.free()
    await until(async () => (await statusOf(machine)).sessions.waiting.length === 1)
    await until(() => machine.exists('.cadre/tasks/approvals.task.md'))
    await whileItSleeps(daemon, () => {
      machine.write(
        '.cadre/tasks/approvals.task.md',
        machine.read('.cadre/tasks/approvals.task.md').replace('[_]', '[x]'),
      )
      machine.fill()
    })
    await untilProblem(machine, 'the disk is full')
    machine.free()
    await until(() => /\[x\]/.test(machine.read('.cadre/tasks/a.task.md')))
    expect(machine.read('runs.txt')).toBe('x\n')
    await untilWell(machine)
    expect(await daemon.stop()).toBe(0)
  },
)

fullDisk(
  titled('without space nothing starts, and it says why; a daemon without space stops all the same', noMount),
  async () => {
    const machine = createMachine(worker)
    machine.fill()
    const ended = await machine.cadre(['up', '--trust', '--model', 'scripted:playbook.yaml'])
    expect(ended.code).toBe(2)
    expect(ended.stderr).toMatch(/^cadre: .*the disk is full.*\n$/)
    const apart = await machine.cadre(['up', '--detach', '--trust', '--model', 'scripted:playbook.yaml'])
    expect(apart.code).toBe(2)
    expect(apart.stderr).toContain('the disk is full')
    machine.free()
    const daemon = await startDaemon(machine)
    await whileItSleeps(daemon, () => {
      machine.write('.cadre/tasks/a.task.md', '- [ ] A @worker "one"\n  id: t1\n')
      machine.fill()
    })
    await untilProblem(machine, 'the disk is full')
    expect(await daemon.stop()).toBe(0)
    machine.free()
    const next = await startDaemon(machine)
    await until(() => /\[x\]/.test(machine.read('.cadre/tasks/a.task.md')))
    expect(machine.sessions()).toEqual(['worker-t1'])
    expect(await next.stop()).toBe(0)
  },
)
