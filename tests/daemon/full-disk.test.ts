import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createProject } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { isDeep } from '../support/amount.ts'
import {
  agent,
  createMachine,
  createSmallFolder,
  fillFolder,
  noMount,
  ownTools,
  personSession,
  skipTitle,
  startDaemon,
  statusOf,
  untilHealthy,
  untilProblem,
  whileSuspended,
} from './machine.ts'

const fullDisk = test.skipIf(noMount !== undefined)
/** More cases, each with daemons and a disk of its own. */
const deepFullDisk = test.skipIf(noMount !== undefined || !isDeep)

const worker = { ...agent('worker'), 'playbook.yaml': { lanes: { worker: [{ reply: 'it is done' }] } } }
const routes = { '.cadre/inbox/routes.yaml': { routes: [{ from: 'mail', to: 'worker' }] } }

fullDisk(
  skipTitle('tasks, messages and sessions wait for space, are said to, and are done once', noMount),
  async () => {
    const machine = createMachine({ ...worker, ...routes })
    const daemon = await startDaemon(machine)
    await whileSuspended(daemon, () => {
      machine.write(
        '.cadre/tasks/a.task.md',
        '- [ ] A @worker "one"\n  id: t1\n- [ ] A @worker "two"\n  id: t2\n',
      )
      machine.write('.cadre/inbox/mail.jsonl', '{"id":"m1","text":"hello"}\n{"id":"m2","text":"again"}\n')
      machine.write('.cadre/sessions/talk.session.yaml', personSession('worker'))
      machine.fill()
    })
    await untilProblem(machine, 'The disk is full')
    expect((await machine.cadre(['status'])).stdout).toContain('The disk is full. Free some space')
    expect(daemon.shown()).toContain('The disk is full')
    expect(machine.read('.cadre/tasks/a.task.md')).not.toMatch(/\[[x-]\]/)
    machine.free()
    await until(() => (machine.read('.cadre/tasks/a.task.md').match(/\[x\]/g) ?? []).length === 2)
    await until(() => machine.read('.cadre/sessions/talk.session.yaml').includes('it is done'))
    await until(() => machine.sessions().filter((id) => id.endsWith('.orig') === false).length === 5)
    await untilHealthy(machine)
    const sessions = machine.sessions().filter((id) => !id.endsWith('.orig'))
    expect(sessions.filter((id) => id.startsWith('worker-t'))).toHaveLength(2)
    for (const id of sessions)
      await until(() => /^status: completed/m.test(machine.read(`.cadre/sessions/${id}.session.yaml`)))
    const said = sessions.map((id) => machine.read(`.cadre/sessions/${id}.session.yaml`)).join('\n')
    // Each of them received one message, once.
    expect(said.match(/^ {4}role: user$/gm)).toHaveLength(5)
    expect((await statusOf(machine)).problems).toEqual([])
    expect(await daemon.stop()).toBe(0)
  },
)

deepFullDisk(
  skipTitle('an effect that ends while there is no space has happened once, and its result is kept', noMount),
  async () => {
    const machine = createMachine({
      ...agent('worker'),
      ...ownTools,
      'playbook.yaml': {
        lanes: {
          worker: [
            { calls: [{ tool: 'work', input: {} }] },
            { expect: { last: 'over' }, reply: 'it was run' },
          ],
        },
      },
    })
    const daemon = await startDaemon(machine, ['--allow', 'write'])
    machine.write('.cadre/tasks/a.task.md', '- [ ] A @worker "run it"\n  id: t1\n')
    await until(() => machine.exists('runs.txt') && machine.read('runs.txt') !== '')
    machine.fill()
    machine.write('go', '')
    await untilProblem(machine, 'The disk is full')
    machine.free()
    await until(() => /\[x\]/.test(machine.read('.cadre/tasks/a.task.md')))
    expect(machine.read('runs.txt')).toBe('x\n')
    expect(machine.read('.cadre/tasks/a.task.md')).toContain('it was run')
    await untilHealthy(machine)
    expect(await daemon.stop()).toBe(0)
  },
)

deepFullDisk(
  skipTitle(
    'a question that comes up without space is asked when there is some, and its answer counts',
    noMount,
  ),
  async () => {
    const machine = createMachine({
      ...agent('worker'),
      ...ownTools,
      go: '',
      'playbook.yaml': {
        lanes: {
          worker: [{ calls: [{ tool: 'work', input: {} }] }, { reply: 'it was run' }],
        },
      },
    })
    const daemon = await startDaemon(machine)
    await whileSuspended(daemon, () => {
      machine.write('.cadre/tasks/a.task.md', '- [ ] A @worker "run it"\n  id: t1\n')
      machine.fill()
    })
    await untilProblem(machine, 'The disk is full')
    machine.free()
    await until(async () => (await statusOf(machine)).sessions.waiting.length === 1)
    await until(() => machine.exists('.cadre/tasks/approvals.task.md'))
    await whileSuspended(daemon, () => {
      machine.write(
        '.cadre/tasks/approvals.task.md',
        machine.read('.cadre/tasks/approvals.task.md').replace('[_]', '[x]'),
      )
      machine.fill()
    })
    await untilProblem(machine, 'The disk is full')
    machine.free()
    await until(() => /\[x\]/.test(machine.read('.cadre/tasks/a.task.md')))
    expect(machine.read('runs.txt')).toBe('x\n')
    await untilHealthy(machine)
    expect(await daemon.stop()).toBe(0)
  },
)

deepFullDisk(
  skipTitle(
    'without space nothing starts, and it says why; a daemon without space stops all the same',
    noMount,
  ),
  async () => {
    const machine = createMachine(worker)
    machine.fill()
    const ended = await machine.cadre(['up', '--trust', '--model', 'scripted:playbook.yaml'])
    expect(ended.code).toBe(2)
    expect(ended.stderr).toMatch(/^cadre: .*cannot start the daemon\. The disk is full.*\n$/)
    const apart = await machine.cadre(['up', '--detach', '--trust', '--model', 'scripted:playbook.yaml'])
    expect(apart.code).toBe(2)
    expect(apart.stderr).toContain('The disk is full')
    machine.free()
    const daemon = await startDaemon(machine)
    await whileSuspended(daemon, () => {
      machine.write('.cadre/tasks/a.task.md', '- [ ] A @worker "one"\n  id: t1\n')
      machine.fill()
    })
    await untilProblem(machine, 'The disk is full')
    expect(await daemon.stop()).toBe(0)
    machine.free()
    const next = await startDaemon(machine)
    await until(() => /\[x\]/.test(machine.read('.cadre/tasks/a.task.md')))
    expect(machine.sessions()).toEqual(['worker-t1'])
    expect(await next.stop()).toBe(0)
  },
)

deepFullDisk(
  skipTitle(
    'tasks whose files did not reach the project are not done, and what depends on them waits',
    noMount,
  ),
  async () => {
    const lane = (name: string) => [
      { calls: [{ tool: 'write_file', input: { path: `${name}.txt`, content: name } }] },
      { calls: [{ tool: 'look', input: {} }] },
      { reply: `${name} is written` },
    ]
    const machine = createProject()
    const small = createSmallFolder('1m')
    const files = {
      ...agent('one'),
      ...agent('two'),
      ...agent('judge'),
      ...ownTools,
      '.cadre/storage/policy.yaml': 'effects: {write: allow}\n',
      'playbook.yaml': {
        lanes: {
          one: lane('one'),
          two: lane('two'),
          judge: [
            { calls: [{ tool: 'read_file', input: { path: 'one.txt' } }] },
            { expect: { last: 'one' }, reply: 'both are there' },
          ],
        },
      },
    }
    for (const [file, content] of Object.entries(files)) machine.write(file, content)
    const daemon = await startDaemon(machine, ['--workspace', small.path])
    machine.write(
      '.cadre/tasks/a.task.md',
      '- [ ] @one "one"\n  id: t1\n- [ ] @two "two"\n  id: t2\n- [ ] @judge "judge"\n  id: t3\n  depends_on: t1, t2\n',
    )
    // Both have written to their workspaces, which are elsewhere.
    await until(() => machine.exists('looks.txt') && machine.read('looks.txt') === 'xx')
    fillFolder(small.path)
    machine.write('go', '')
    await untilProblem(machine, 'The disk is full')
    expect(machine.read('.cadre/tasks/a.task.md')).not.toMatch(/\[[x-]\]/)
    expect(machine.sessions().some((id) => id.startsWith('judge'))).toBe(false)
    rmSync(small.at('fill'))
    await until(() => /both are there|failed/.test(machine.read('.cadre/tasks/a.task.md')))
    expect(machine.read('.cadre/tasks/a.task.md').match(/\[x\]/g)).toHaveLength(3)
    expect([small.read('one.txt'), small.read('two.txt')]).toEqual(['one', 'two'])
    await untilHealthy(machine)
    expect(await daemon.stop()).toBe(0)
  },
)

fullDisk(skipTitle('a merge that does not fit into the project leaves it as it was', noMount), async () => {
  const home = createProject()
  const project = createSmallFolder('1m')
  const large = (letter: string) => letter.repeat(300_000)
  project.write('a.txt', 'mine\n')
  project.write('b.txt', large('b'))
  home.write('p.yaml', {
    lanes: {
      '*': [
        {
          calls: [
            ['a.txt', 'theirs\n'] as const,
            ['b.txt', large('B')] as const,
            ['c.txt', large('c')] as const,
          ].map(([path, content]) => ({ tool: 'write_file', input: { path, content } })),
        },
        { reply: 'Done.' },
      ],
    },
  })
  home.write('.cadre/templates/lead.agent.yaml', {
    id: 'lead',
    description: 'The lead',
    system_prompt: 'x',
    isolation: 'workspace',
  })
  const ran = await home.cadre([
    'run',
    '--agent',
    'lead',
    '--workspace',
    project.path,
    '--model',
    'scripted:p.yaml',
    '--allow',
    'write',
    'x',
  ])
  expect(ran.code, ran.stderr).toBe(0)
  const [id = ''] = home.sessions()
  project.write('fill', 'f'.repeat(600_000))
  const before = project.listing()
  const refused = await home.cadre(['workspace', 'merge', id])
  expect(refused.stderr).toContain('nothing was changed')
  expect(refused.code).toBe(1)
  expect(project.listing()).toEqual(before)
  expect(project.read('a.txt')).toBe('mine\n')
  rmSync(project.at('fill'))
  expect((await home.cadre(['workspace', 'merge', id])).code).toBe(0)
  expect(project.read('c.txt')).toBe(large('c'))
})
