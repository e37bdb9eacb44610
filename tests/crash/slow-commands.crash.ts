import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agentFile, createProject, type Project } from '../cli/support/project.ts'
import { randomFrom } from '../corpora/support/random.ts'
import { type Running, startDaemon } from '../daemon/machine.ts'
import { seed } from './seed.ts'
import { until, withDeadline } from './with-deadline.ts'

const kills = 20
const tasks = Array.from({ length: 30 }, (_, index) => `t-${String(index + 1).padStart(2, '0')}`)

const command = (line: string) => ({ tool: 'execute_command', input: { command: line } })

function createTasks(): Project {
  return createProject({
    ...agentFile('worker', { tools: ['execute_command', 'read_file'], isolation: 'shared' }),
    'notes.txt': 'what there is to know\n',
    'done.txt': '',
    '.cadre/storage/policy.yaml': 'effects: {write: allow, execute: allow}\n',
    '.cadre/config.yaml': { daemon: { parallel: 4 } },
    'playbook.yaml': {
      lanes: {
        worker: [
          { calls: [command('sleep 0.2 && cat notes.txt')] },
          {
            expect: { last: 'what there is to know' },
            calls: [
              command('sleep 1 && echo {{session}} >> done.txt'),
              { tool: 'read_file', input: { path: 'notes.txt' } },
              command('sleep 0.2 && ls'),
            ],
          },
          { reply: '{{session}} has finished' },
        ],
      },
    },
    '.cadre/tasks/work.task.md': [
      '## TODO',
      '',
      ...tasks.flatMap((id) => [`- [ ] @worker "Do ${id}"`, `  id: ${id}`]),
      '',
    ].join('\n'),
  })
}

test(`a daemon is killed ${kills} times during ${tasks.length} tasks with slow commands: all other work continues, nothing happens twice, and a person can answer the rest in the file`, async () => {
  console.log(`seed ${seed}`)
  const random = randomFrom(seed)
  const project = createTasks()
  for (let kill = 1; kill <= kills; kill++) {
    const daemon = await start(project)
    await new Promise((resolve) => setTimeout(resolve, 200 + random.below(1_000)))
    daemon.signal('SIGKILL')
    await withDeadline(daemon.ended(), () => `process ${daemon.pid} to end after SIGKILL`)
    // Occasionally answers some questions, so that second attempts are interrupted too.
    if (kill % 5 === 0) answer(project, () => random.below(2) === 0)
  }
  const daemon = await start(project)
  await until(
    () => doneIn(project).length + waitingIn(project).length === tasks.length,
    () => `every task to be done or to wait for a person; ${stateOf(project, daemon)}`,
  )
  const finished = doneIn(project).length
  const left = pendingIn(project)
  console.log(`after ${kills} kills: ${finished} finished, ${left.length} questions`)
  // The remaining questions are in both forms, and the command lists the same.
  expect(left.map(({ id }) => `${id}.approval.md`).toSorted()).toEqual(
    readdirSync(project.at('.cadre/approvals/pending')).toSorted(),
  )
  const { stdout } = await project.cadre(['approvals', '--json'])
  const listed = JSON.parse(stdout) as { id: string; type: string }[]
  expect(listed.map(({ id }) => id).toSorted()).toEqual(left.map(({ id }) => id).toSorted())
  expect(new Set(listed.map(({ type }) => type))).toEqual(
    left.length === 0 ? new Set() : new Set(['in_doubt']),
  )

  answer(project, () => true)
  await until(
    () => doneIn(project).length === tasks.length,
    () => `every task to be done; ${stateOf(project, daemon)}`,
  )
  expect(pendingIn(project)).toEqual([])
  const effects = project.read('done.txt').trim().split('\n')
  expect(effects.toSorted()).toEqual(sessionsIn(project))
  expect(await daemon.stop()).toBe(0)
})

function start(project: Project): Promise<Running> {
  return withDeadline(startDaemon(project), () => `a daemon to be ready in ${project.path}`)
}

/** The state to print if a wait times out. */
function stateOf(project: Project, daemon: Running): string {
  const asked = pendingIn(project).map(({ id }) => id)
  const page = project.read('.cadre/tasks/work.task.md')
  return `asked: ${asked.join()}; the daemon printed:\n${daemon.shown()}\nthe tasks:\n${page}`
}

/** The successful tasks. */
function doneIn(project: Project): string[] {
  const text = project.read('.cadre/tasks/work.task.md')
  return [...text.matchAll(/^- \[x\].*\n {2}id: (\S+)/gm)].map(([, id = '']) => id)
}

function sessionsIn(project: Project): string[] {
  return project.sessions().toSorted()
}

interface Pending {
  readonly id: string
  readonly session: string
  /** The start of its task. */
  readonly at: number
}

/** The questions in `approvals.task.md`, as a person reads them. */
function pendingIn(project: Project): Pending[] {
  const file = '.cadre/tasks/approvals.task.md'
  if (!existsSync(project.at(file))) return []
  const text = project.read(file)
  return [...text.matchAll(/^- \[_\] .*\n((?: {2}.*\n|\n)*)/gm)].flatMap((found) => {
    const id = /^ {2}id: (\S+)/m.exec(found[1] ?? '')?.[1]
    const session = /^ {2}session: (\S+)/m.exec(found[1] ?? '')?.[1]
    return id === undefined || session === undefined ? [] : [{ id, session, at: found.index }]
  })
}

/** Sessions that wait only for a person. */
function waitingIn(project: Project): string[] {
  const asking = new Set(pendingIn(project).map(({ session }) => session))
  return [...asking].filter((session) => {
    const text = project.read(`.cadre/sessions/${session}.session.yaml`)
    return /^status: "?sleeping/m.test(text)
  })
}

/** Answers for each call whether its effect has happened, by editing the file once. */
function answer(project: Project, isAnswered: () => boolean): void {
  const pending = pendingIn(project)
  if (pending.length === 0) return
  const effects = project.read('done.txt').trim().split('\n')
  let text = project.read('.cadre/tasks/approvals.task.md')
  for (const { session, at } of pending.toSorted((a, b) => b.at - a.at)) {
    if (!isAnswered()) continue
    const rest = text.slice(at).replace('- [_]', '- [x]')
    text = text.slice(0, at) + (effects.includes(session) ? rest.replace('\n', '\n  outcome: done\n') : rest)
  }
  project.write('.cadre/tasks/approvals.task.md', text)
}
