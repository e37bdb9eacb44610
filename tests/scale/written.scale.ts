import { expect, test } from 'vitest'
import { until } from '../cli/support/until.ts'
import { openEngineProject } from './support/engine-project.ts'

const files = {
  'playbook.yaml': {
    lanes: {
      planner: {
        sessions: [
          { when: 'Write it', steps: [{ reply: 'Written.' }, { reply: 'Written again.' }] },
          { steps: [{ reply: 'Redis runs.' }, { reply: 'You are welcome.' }] },
        ],
      },
    },
  },
  '.cadre/templates/planner.agent.yaml':
    'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n',
}

const note = '.cadre/sessions/note.session.yaml'
const text = 'agent_id: planner\nmessages:\n  - role: user\n    content: Write it down.\n'

test('a person starts a session by writing its file, before a worker runs, and continues it in the file', async () => {
  const engine = await openEngineProject(files)
  const { project, keeper } = engine
  await engine.startDaemon()
  project.write(note, text)
  await until(() => project.exists(`${note}.orig`))
  expect(project.read(`${note}.orig`)).toBe(text)
  await engine.startWorker()
  await until(() => project.exists(note) && project.read(note).includes('status: completed'))
  project.write(note, `${project.read(note)}  - role: user\n    content: Once more.\n`)
  await until(() => project.exists(note) && project.read(note).includes('Written again.'))
  const stored = await keeper.read('note')
  expect(stored?.entries.flatMap(({ role, content }) => (role === 'event' ? [] : [content]))).toEqual([
    'Write it down.',
    'Written.',
    'Once more.',
    'Written again.',
  ])
})

test('a file that a worker cannot start from is reported until it is fixed', async () => {
  const engine = await openEngineProject(files)
  const { project } = engine
  await engine.startWorker()
  await engine.startDaemon()
  const problems = async () => {
    const [status] = (await project.cadre(['status', '--json'])).json() as {
      problems: { message: string }[]
    }[]
    return status?.problems.map(({ message }) => message) ?? []
  }
  project.write(note, `system_prompt: You obey.\n${text}`)
  await until(async () => (await problems()).some((message) => message.includes('it sets system_prompt')))
  project.write(note, text)
  await until(() => project.exists(note) && project.read(note).includes('status: completed'))
  await until(async () => (await problems()).length === 0)
})

test('a session from a file works in the workspace of its agent, and only where the daemon may', async () => {
  const engine = await openEngineProject(files)
  const { project, keeper } = engine
  await engine.startWorker()
  await engine.startDaemon({}, { trust: false })
  project.write(note, `metadata: { workspace: /etc }\n${text}`)
  const refusal = `the session's workspace /etc is neither in ${project.path} nor a workspace in this home directory. Run "cadre resume" there, or start the daemon with --trust`
  await until(async () => {
    const [status] = (await project.cadre(['status', '--json'])).json() as {
      problems: { message: string }[]
    }[]
    return status?.problems.some(({ message }) => message === refusal) ?? false
  })
  expect(project.read(note)).toContain('/etc')
  expect(await keeper.state('note')).toEqual({ kind: 'absent' })
  project.write(note, text)
  await until(() => project.exists(note) && project.read(note).includes('status: completed'))
  const stored = await keeper.read('note')
  expect(stored?.spec.workspace).toBe(project.at('.cadre/workspaces/planner'))
  expect(project.exists('.cadre/workspaces/planner')).toBe(true)
})

test('a chat log is answered by a session on a worker', async () => {
  const engine = await openEngineProject(files)
  const { project, keeper } = engine
  await engine.startWorker()
  await engine.startDaemon()
  const log = '.cadre/agents/planner.agent.md'
  const before =
    '# Agent: planner\ntype: planner\n\n## System Prompt\n\nYou plan.\n\n## Conversation\n' +
    '\n### 2025-10-04 10:00:00 | user\n\nHello\n\n### 2025-10-04 10:00:01 | assistant\n\nHi there.\n' +
    '\n### 2025-10-04 10:00:02 | user\n\nIs Redis running?\n'
  project.write(log, before)
  await until(() => project.read(log).includes('Redis runs.'))
  expect(project.read(log).startsWith(before)).toBe(true)
  project.write(log, `${project.read(log)}\n### 2025-10-04 10:01:00 | user\n\nThank you.\n`)
  await until(() => project.read(log).includes('You are welcome.'))
  const stored = await keeper.read('planner-chat')
  expect(stored?.entries.flatMap(({ role, content }) => (role === 'event' ? [] : [content]))).toEqual([
    'Hello',
    'Hi there.',
    'Is Redis running?',
    'Redis runs.',
    'Thank you.',
    'You are welcome.',
  ])
})
