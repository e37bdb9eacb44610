import { appendFileSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createProject, type Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { amount, inDeep, isDeep } from '../support/amount.ts'
import { agent, startDaemon, statusOf } from './machine.ts'

const limit = { timeout: 300_000 }
const messages = amount({ usual: 4, deep: 100 })
const tasks = amount({ usual: 2, deep: 20 })
const replies = (text: string) => Array.from({ length: 50 }, () => ({ reply: text }))

/** `hold` is a tool that waits for a file `go`; it records each start. */
const files = {
  ...agent('talker'),
  ...agent('worker'),
  ...agent('asker'),
  '.cadre/config.yaml': { tools: ['../hold.mjs'] },
  '.cadre/inbox/routes.yaml': {
    routes: [
      { from: 'chat', to: 'talker', conversation: '{thread}' },
      { from: 'mail', to: 'worker' },
    ],
  },
  'hold.mjs': `import { appendFileSync, existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
export const hold = {
  name: 'hold', description: 'Waits', class: 'read', effect: 'read', parameters: { type: 'object' },
  input: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
  async run(input, { workspace }) {
    appendFileSync(workspace + '/held.txt', 'x')
    while (!existsSync(workspace + '/go')) await pause(20)
    return { content: 'let go' }
  },
}
`,
  'playbook.yaml': {
    lanes: {
      talker: [{ calls: [{ tool: 'hold', input: {} }] }, ...replies('heard')],
      worker: replies('it is done'),
      asker: [
        { calls: [{ tool: 'execute_command', input: { command: 'echo x >> runs.txt' } }] },
        { reply: 'it was run' },
      ],
    },
  },
}

/** A daemon whose only session is in the middle of a call. */
async function withBusySession() {
  const project = createProject(files)
  const daemon = await startDaemon(project)
  line(project, 'inbox/chat', { id: 'first', thread: 't', text: 'begin' })
  await until(() => held(project) === 1)
  const [talker = ''] = project.sessions()
  return { project, daemon, talker }
}

const line = (project: Project, file: string, content: object) =>
  appendFileSync(project.at(`.cadre/${file}.jsonl`), `${JSON.stringify(content)}\n`)
const held = (project: Project) => (project.exists('held.txt') ? project.read('held.txt').length : 0)
const record = (project: Project, id: string) => project.read(`.cadre/sessions/${id}.session.yaml`)
const count = (text: string, what: RegExp) => text.match(what)?.length ?? 0
const all = (project: Project) =>
  project
    .sessions()
    .map((id) => record(project, id))
    .join('\n')

inDeep('handles messages, tasks and approvals while a session is busy', limit, async () => {
  const { project, daemon, talker } = await withBusySession()
  line(project, 'inbox/chat', { id: 'second', thread: 't', text: 'and this' })
  line(project, 'inbox/chat', { id: 'third', thread: 't', text: 'and that' })
  const numbers = (length: number) => Array.from({ length }, (_, index) => index + 1)
  for (const id of numbers(messages)) line(project, 'inbox/mail', { id: `m${id}`, text: `message ${id}` })
  const task = (who: string) => (id: number) => `- [ ] A @${who} "number ${id}"\n  id: ${who}-${id}\n`
  project.write('.cadre/tasks/work.task.md', numbers(tasks).map(task('worker')).join(''))
  project.write('.cadre/tasks/ask.task.md', numbers(5).map(task('asker')).join(''))
  for (const id of numbers(tasks)) line(project, 'mailboxes/worker', { id: `l${id}`, text: `letter ${id}` })
  const form = '.cadre/tasks/approvals.task.md'
  await until(() => project.exists(form) && count(project.read(form), /^- \[_\]/gm) === 5)
  project.write(form, project.read(form).replaceAll('- [_]', '- [x]'))
  await until(() => count(project.read('.cadre/tasks/ask.task.md'), /\[x\]/g) === 5)
  await until(() => count(project.read('.cadre/tasks/work.task.md'), /\[x\]/g) === tasks)
  await until(() => count(all(project), /message: inbox\/mail\//g) === messages)
  await until(() => count(all(project), /message: mail\/worker\//g) === tasks)
  expect((await statusOf(project)).sessions.running).toContain(talker)
  expect(count(record(project, talker), /message: inbox\/chat\//g)).toBe(1)
  project.write('go', '')
  await until(() => count(record(project, talker), /message: inbox\/chat\//g) === 3)
  const heard = record(project, talker).match(/message: inbox\/chat\/\w+/g)
  expect(heard).toEqual(['first', 'second', 'third'].map((id) => `message: inbox/chat/${id}`))
  await until(async () => (await statusOf(project)).sessions.running.length === 0)
  expect((await statusOf(project)).problems).toEqual([])
  expect(readdirSync(project.at('.cadre/storage/requests/queued'))).toEqual([])
  expect(await daemon.stop()).toBe(0)
})

test.runIf(isDeep)(
  'starts without waiting for a session that was busy when the daemon was killed',
  limit,
  async () => {
    const { project, daemon, talker } = await withBusySession()
    line(project, 'inbox/chat', { id: 'second', thread: 't', text: 'queued before' })
    await until(() => readdirSync(project.at('.cadre/storage/requests/queued')).length === 1)
    daemon.signal('SIGKILL')
    line(project, 'inbox/chat', { id: 'third', thread: 't', text: 'while nobody watched' })
    line(project, 'inbox/mail', { id: 'm1', text: 'for somebody else' })
    project.write('.cadre/storage/planner-checkin.yaml', { interval_seconds: 1, planner_session: talker })
    // Resolves when it is ready.
    const next = await startDaemon(project)
    await until(() => held(project) === 2)
    await until(() => count(all(project), /message: inbox\/mail\/m1/g) === 1)
    expect((await statusOf(project)).sessions.running).toContain(talker)
    project.write('go', '')
    await until(() => count(record(project, talker), /message: inbox\/chat\/third/g) === 1)
    const heard = record(project, talker).match(/message: inbox\/chat\/\w+/g)
    expect(heard).toEqual(['first', 'second', 'third'].map((id) => `message: inbox/chat/${id}`))
    expect(await next.stop()).toBe(0)
  },
)
