import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Home } from '@cadre/home'
import { createTaskDuty } from '@cadre/server'
import { openTaskFiles, type TaskItem } from '@cadre/tasks'
import { call, type Line, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import {
  sessionText,
  template,
  temporaryHome,
  testDaemon,
  until,
} from '../../packages/server/src/daemon/daemon.spec-helpers.ts'
import { countingTools } from '../engine/tools.ts'

type Lanes = Readonly<Record<string, readonly Line[]>>

interface OpenOptions {
  readonly text?: string
  readonly parallel?: number
  readonly daemon?: Parameters<typeof testDaemon>[2]
}

/** A daemon on a real home with a real watcher, and a person with an editor. */
function open(lanes: Lanes, { text, parallel = 4, daemon = {} }: OpenOptions = {}) {
  const { home, workspace } = temporaryHome()
  for (const agent of Object.keys(lanes)) template(home, agent)
  mkdirSync(home.at('tasks'), { recursive: true })
  if (text !== undefined) save(home, text)
  const start = () =>
    testDaemon(home, workspace, {
      lanes,
      duties: (context) => [
        createTaskDuty(context, {
          tasks: openTaskFiles({ folder: home.at('tasks') }),
          parallel,
          missingMs: 0,
        }),
      ],
      ...daemon,
    })
  const tasks = openTaskFiles({ folder: home.at('tasks') })
  const task = (id: string): TaskItem | undefined => tasks.find(id)?.task
  return { home, start, task }
}

function save(home: Home, text: string, file = 'redis.task.md'): void {
  writeFileSync(home.at('tasks', `.${file}.draft`), text)
  renameSync(home.at('tasks', `.${file}.draft`), home.at('tasks', file))
}

function textOf(home: Home, file = 'redis.task.md'): string {
  return readFileSync(home.at('tasks', file), 'utf8')
}

const hangs: Line = 'hang'

test('the tasks of a page are done in order, and everything else on it stays unchanged', async () => {
  const page = [
    '# Redis, because Anna asked',
    '',
    'Some words before.',
    '',
    '## TODO',
    '',
    '- [x] A @planner-001 #redis "Plan Redis check workflow"',
    '  id: task-001',
    '',
    '  - [ ] B @retriever-001 #system "Detect container runtime"',
    '    id: task-002',
    '  - [_] C @executor-001 #docker "Check Redis container status"',
    '    depends_on: task-002   ',
    '    id: task-003',
    '',
    "- [ ] A @evaluator-001 'Validate Redis check result'",
    '  id: task-004',
    '  depends_on: task-003',
    '- [ ] @human `Tell Anna`',
    '',
    '<!-- the end -->',
    '',
  ].join('\r\n')
  const { home, start, task } = open(
    {
      'planner-001': [],
      'retriever-001': [say('Docker.')],
      'executor-001': [say('Up 2 hours.\n\n- [ ] @executor-001 "Not a task"')],
      'evaluator-001': [say('It is fine.')],
    },
    { text: page },
  )
  const daemon = start()
  await daemon.start()
  await until(() => task('task-004')?.state === 'done')
  expect(daemon.models.requests.map(({ agent }) => agent)).toEqual([
    'retriever-001',
    'executor-001',
    'evaluator-001',
  ])
  expect(task('task-003')?.fields.get('result')).toContain('Not a task')
  const kept = textOf(home).split('\r\n')
  for (const line of page.split('\r\n')) if (!/\[[ _]\] [A-D] @/.test(line)) expect(kept).toContain(line)
  await until(() => daemon.status().counts['tasks']?.['done'] === 4)
  expect(daemon.status().counts['tasks']).toMatchObject({ open: 0, running: 0, people: 1 })
  expect(daemon.status().problems).toEqual([])
  expect(daemon.happenings.map(({ type }) => type)).toContain('task.done')
  const { content } = daemon.models.requests[2]?.messages[0] ?? { content: '' }
  expect(content).toContain('  > Up 2 hours.\n  > \n  > - [ ] @executor-001 "Not a task"')
})

test('a task written while the daemon runs starts; marked by hand, its session ends; reopened, there is another', async () => {
  const { home, start, task } = open({ worker: [hangs] }, { daemon: { shutdownMs: 1 } })
  const daemon = start()
  await daemon.start()
  save(home, '- [ ] @worker "Look"\n')
  const id = await until(() => /id: (task-\w+)/.exec(textOf(home))?.[1])
  await until(() => daemon.models.requests.length === 1)
  save(home, textOf(home).replace('[~]', '[-]'))
  await until(() => sessionText(home, `worker-${id}`).includes('outcome: cancelled'))
  expect(task(id)?.state).toBe('skipped')
  save(home, textOf(home).replace('[-]', '[ ]'))
  await until(() => daemon.models.requests.length === 2)
  expect(task(id)?.fields.get('session')).toBe(`worker-${id}-2`)
})

test('an editor that saves an old copy over finished tasks reverts nothing; changing only a marker does', async () => {
  const { home, start, task } = open({ worker: [say('looked')] })
  const daemon = start()
  await daemon.start()
  const page = '# Mine\n\n- [ ] @worker "One"\n- [ ] @worker "Two"\n  id: two\n'
  save(home, page)
  await until(() => (textOf(home).match(/\[x\]/g) ?? []).length === 2)
  const [, first] = /id: (task-\w+)/.exec(textOf(home)) ?? []
  for (const more of ['', '', '- [ ] @worker "Three"\n  id: three\n']) {
    save(home, page + more)
    await until(() => (textOf(home).match(/\[x\]/g) ?? []).length === (more === '' ? 2 : 3))
  }
  expect(textOf(home)).toContain(`id: ${first}`)
  expect(task('two')?.fields.get('result')).toBe('looked')
  expect(daemon.models.requests).toHaveLength(3)
  const said = daemon.happenings.filter(({ type }) => type === 'task.restored')
  expect(said[0]?.message).toContain('saved an older copy of its file')
  // A person who wants it done again.
  save(home, textOf(home).replace('[x] @worker "Two"', '[ ] @worker "Two"'))
  await until(() => task('two')?.state === 'done' && task('two')?.fields.get('session') === 'worker-two-2')
  expect(daemon.models.requests).toHaveLength(4)
})

test('a rewritten task is passed to its working session', async () => {
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const { home, start, task } = open(
    {
      worker: [
        async () => {
          await held
          return say('I looked.')
        },
        say('I looked closely.'),
      ],
    },
    { text: '- [ ] @worker "Look"\n  id: look-1\n' },
  )
  const daemon = start()
  await daemon.start()
  await until(() => daemon.models.requests.length === 1)
  save(home, textOf(home).replace('"Look"', '"Look closely"'))
  await until(() => task('look-1')?.title === 'Look closely')
  await daemon.idle()
  goOn()
  await until(() => task('look-1')?.state === 'done')
  expect(task('look-1')?.fields.get('result')).toBe('I looked closely.')
  expect(daemon.models.requests[1]?.messages.at(-1)?.content).toContain('Look closely')
})

test('a planner creates tasks, is notified when they have ended, and its last text is the result', async () => {
  const { home, start, task } = open(
    {
      'planner-001': [say('Two parts.'), say('Both are done.')],
      worker: [say('My part.')],
    },
    {
      text: '- [ ] @planner-001 "Do it all"\n  id: all\n  - [ ] @worker "One"\n    id: one\n  - [ ] @worker "Two"\n    id: two\n    depends_on: one\n',
    },
  )
  const daemon = start()
  await daemon.start()
  await until(() => task('all')?.state === 'done')
  expect(task('all')?.fields.get('result')).toBe('Both are done.')
  expect(sessionText(home, 'planner-001-all').match(/message: "?tree\//g)).toHaveLength(1)
})

test('a broken file and an unassigned task are reported with their lines until they are fixed; others continue', async () => {
  const { home, start, task } = open({ worker: [say('Done.')] }, { text: '- [ ] @worker "Look\n  id: a\n' })
  const daemon = start()
  await daemon.start()
  save(
    home,
    '\n- [ ] @worker "Good"\n  id: good\n- [ ] @worker "Late"\n  id: late\n  depends_on: god\n',
    'b.task.md',
  )
  await until(() => task('good')?.state === 'done')
  await until(() => task('late')?.fields.has('problem'))
  await until(() => daemon.status().problems.length === 2)
  expect(daemon.status().problems).toMatchObject([
    { file: 'tasks/redis.task.md', line: 1, severity: 'error' },
    {
      file: 'tasks/b.task.md',
      message: 'Task late: it depends on god, which is not a task. Did you mean good?',
    },
  ])
  save(home, textOf(home, 'b.task.md').replace('on: god', 'on: good'), 'b.task.md')
  save(home, '- [ ] @worker "Look"\n  id: a\n')
  await until(() => task('late')?.state === 'done' && task('a')?.state === 'done')
  expect(task('late')?.fields.has('problem')).toBe(false)
  await until(() => daemon.status().problems.length === 0)
})

test('a task waits while a field that delays it is misspelt', async () => {
  const { home, start, task } = open({ worker: [say('Done.')] })
  const daemon = start()
  await daemon.start()
  const text = [
    '- [ ] @worker "One"\n  id: one\n  aproval_required: true',
    '- [ ] @worker "Two"\n  id: two\n  dependsOn: one',
    '- [ ] @worker "Three"\n  id: three\n  on: today\n  approval: of Ada',
  ]
  save(home, `${text.join('\n')}\n`)
  await until(() => task('three')?.state === 'done' && task('two')?.fields.has('problem'))
  expect([task('one')?.state, task('two')?.state]).toEqual(['open', 'open'])
  expect(task('one')?.fields.get('problem')).toBe(
    'its field aproval_required is unknown. Did you mean approval_required?',
  )
  save(
    home,
    textOf(home).replace('aproval_required: true', 'done_by: Ada').replace('dependsOn', 'depends_on'),
  )
  await until(() => task('two')?.state === 'done')
  expect(task('two')?.fields.has('problem')).toBe(false)
})

test('a session that waits for a person uses no slot, and does nothing before its approval', async () => {
  const { done, tools } = countingTools()
  const { home, start, task } = open(
    { worker: [call(['launch', { what: 'rocket' }]), say('Launched.')], other: [say('Done.')] },
    {
      text: '- [ ] A @worker "Launch"\n  id: launch\n  approval_required: true\n- [ ] B @other "After"\n  id: other\n',
      parallel: 1,
      daemon: { tools },
    },
  )
  const daemon = start()
  await daemon.start()
  await until(() => task('other')?.state === 'done')
  expect(task('launch')?.state).toBe('running')
  expect(done).toEqual([])
  const forms = () => textOf(home, 'approvals.task.md')
  await until(() => forms().includes('worker-launch'))
  writeFileSync(home.at('tasks', 'approvals.task.md'), forms().replace('[_]', '[x]'))
  await until(() => task('launch')?.state === 'done')
  expect(done).toEqual(['launch rocket'])
})

test('a task whose only action was rejected fails, and names the rejected action', async () => {
  const { done, tools } = countingTools()
  const { home, start, task } = open(
    { worker: [call(['launch', { what: 'rocket' }]), say('All is well.')] },
    { text: '- [ ] A @worker "Launch"\n  id: launch\n  approval_required: true\n', daemon: { tools } },
  )
  const daemon = start()
  await daemon.start()
  await until(() => task('launch')?.state === 'running')
  const forms = () => {
    try {
      return textOf(home, 'approvals.task.md')
    } catch {
      return ''
    }
  }
  await until(() => forms().includes('worker-launch'))
  writeFileSync(home.at('tasks', 'approvals.task.md'), forms().replace('[_]', '[-]'))
  await until(() => task('launch')?.state !== 'running')
  expect(done).toEqual([])
  expect(task('launch')?.state).toBe('failed')
  expect(task('launch')?.fields.get('error')).toMatch(/^launch was rejected/)
})

test('a line that is not a task does not block the one above it', async () => {
  const { start, task } = open(
    { worker: [say('Done.')] },
    { text: '- [ ] @worker "Good"\n  id: good\n- [?] "What?"\n  id: odd\n- [ ] @worker "Too"\n  id: too\n' },
  )
  const daemon = start()
  await daemon.start()
  await until(() => task('good')?.state === 'done' && task('too')?.state === 'done')
  expect(daemon.status().problems).toMatchObject([{ file: 'tasks/redis.task.md', code: 'TD004' }])
})

test('a task for a misspelt agent is reported with the closest name, and runs when the name is fixed', async () => {
  const { home, start } = open(
    { reviewer: [say('Reviewed.')] },
    { text: '- [ ] @reviwer "Review it"\n- [ ] @rebecca "Call Ann"\n' },
  )
  const daemon = start()
  await daemon.start()
  const message = 'there is no agent reviwer. Did you mean reviewer?'
  await until(() => textOf(home).includes(`problem: ${message}`))
  expect(daemon.status().problems).toMatchObject([
    { file: 'tasks/redis.task.md', line: 1, severity: 'error', message: expect.stringContaining(message) },
  ])
  // Any other name is a person.
  expect(textOf(home)).toMatch(/^- \[ \] @rebecca "Call Ann"\n$/m)
  save(home, textOf(home).replace('@reviwer', '@reviewer'))
  await until(() => textOf(home).includes('- [x] @reviewer'))
  expect(textOf(home)).not.toContain('problem:')
  await daemon.stop()
})
