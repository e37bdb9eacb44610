import { appendFileSync } from 'node:fs'
import { answers, startWire, streamOf } from '@cadre/testing'
import { expect, test } from 'vitest'
import { logIn, type Opened } from '../cli/support/log-in.ts'
import { until } from '../cli/support/until.ts'
import { openEngineProject } from './support/engine-project.ts'

const files = {
  'playbook.yaml': { lanes: { planner: { sessions: [{ steps: [{ reply: 'Done.' }] }] } } },
  '.cadre/templates/planner.agent.yaml':
    'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n',
  '.cadre/inbox/routes.yaml': { routes: [{ from: 'notes', to: 'planner' }] },
}

test('what is sent to a worker without a model runs once when the worker has one', async () => {
  const engine = await openEngineProject(files)
  const { project } = engine
  const worker = await engine.startWorker({ model: 'openai:gpt-x' })
  await engine.startDaemon()
  const refused = async () => {
    const [status] = (await project.cadre(['status', '--json'])).json() as {
      problems: { file: string; message: string }[]
    }[]
    return (status?.problems ?? [])
      .filter(({ message }) => message.startsWith('Cannot start this session yet: '))
      .map(({ file }) => file)
  }
  project.write(
    '.cadre/sessions/note.session.yaml',
    'agent_id: planner\nmessages:\n  - role: user\n    content: From a file.\n',
  )
  const line = { id: 'n1', user: 'boss', text: 'From the inbox.' }
  appendFileSync(project.at('.cadre/inbox/notes.jsonl'), `${JSON.stringify(line)}\n`)
  const client = await logIn((await project.cadre(['open', '--json'])).json()[0] as unknown as Opened)
  const { id } = await client.startSession({ body: { work: 'Over HTTP.', agent: 'planner' } })
  await until(async () => (await refused()).length === 3)
  expect(await refused()).toEqual(
    expect.arrayContaining(['sessions/note.session.yaml', `sessions/${id}.session.yaml`]),
  )
  expect(project.sessions()).toEqual(['note.session.yaml.orig'])
  worker.child.kill('SIGTERM')
  await worker.ended()
  await engine.startWorker()
  await until(() => project.sessions().length === 4)
  const read = (session: string) => project.read(`.cadre/sessions/${session}.session.yaml`)
  const ended = () =>
    project
      .sessions()
      .filter((session) => !session.endsWith('.orig'))
      .map(read)
  await until(() => ended().every((text) => /^status: completed/m.test(text)))
  await until(async () => (await refused()).length === 0)
  expect(project.sessions()).toHaveLength(4)
  for (const text of ended()) expect(text.match(/role: assistant/g)).toHaveLength(1)
  const log = project.read('.cadre/storage/daemon.log')
  expect(log).not.toContain('dropped')
})

test('a message to a session waits while its worker cannot use the model', async () => {
  await using wire = await startWire(() => answers.raw(streamOf({ text: 'Hello.' })))
  const engine = await openEngineProject(files, { modelUrl: wire.url })
  const { project } = engine
  const first = await engine.startWorker()
  await engine.startDaemon()
  const file = '.cadre/sessions/note.session.yaml'
  project.write(file, 'agent_id: planner\nmessages:\n  - role: user\n    content: First.\n')
  await until(() => project.exists(file) && /^status: completed/m.test(project.read(file)))
  first.child.kill('SIGTERM')
  await first.ended()
  const second = await engine.startWorker({ env: { OPENAI_BASE_URL: '' } })
  const client = await logIn((await project.cadre(['open', '--json'])).json()[0] as unknown as Opened)
  await client.sendMessage({ params: { id: 'note' }, body: { text: 'Second.' } })
  const problems = async () => {
    const [status] = (await project.cadre(['status', '--json'])).json() as {
      problems: { message: string }[]
    }[]
    return (status?.problems ?? []).map(({ message }) => message)
  }
  await until(async () => (await problems()).some((one) => one.startsWith('Cannot deliver messages')))
  second.child.kill('SIGTERM')
  await second.ended()
  await engine.startWorker()
  await until(() => (project.read(file).match(/role: assistant/g) ?? []).length === 2)
  await until(async () => (await problems()).length === 0)
  expect(project.read(file).match(/content: Second\./g)).toHaveLength(1)
})
