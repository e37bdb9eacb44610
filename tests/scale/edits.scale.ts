import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { StoredSession } from '@cadre/core'
import { answers, startWire, streamOf } from '@cadre/testing'
import { expect, test } from 'vitest'
import type { Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { type EngineProject, openEngineProject } from './support/engine-project.ts'

const files = {
  'playbook.yaml': {
    lanes: {
      planner: [{ reply: 'First answer.' }, { reply: 'Second answer.' }, { reply: 'Third answer.' }],
    },
  },
  '.cadre/templates/planner.agent.yaml':
    'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n',
  '.cadre/inbox/routes.yaml': { routes: [{ from: 'notes', to: 'planner' }] },
}

const fileOf = (session: string) => `.cadre/sessions/${session}.session.yaml`
const statusOf = (project: Project, session: string) =>
  /^status: (\w+)/m.exec(project.read(fileOf(session)))?.[1]

function edit(project: Project, session: string, change: (text: string) => string): void {
  const path = project.at(fileOf(session))
  const before = readFileSync(path, 'utf8')
  const after = change(before)
  expect(after).not.toBe(before)
  writeFileSync(path, after)
}

/** The header contains the work too. */
function inMessages(text: string, change: (messages: string) => string): string {
  const at = text.indexOf('\nmessages:')
  return text.slice(0, at) + change(text.slice(at))
}

function editsIn(stored: StoredSession | undefined) {
  return (stored?.entries ?? []).filter((entry) => entry.role === 'event' && entry.type === 'journal.edited')
}

const contentsOf = (stored: StoredSession | undefined) => stored?.entries.map(({ content }) => content)

async function startSession({ project }: EngineProject, status: string): Promise<string> {
  const known = new Set(project.sessions())
  project.write('.cadre/inbox/notes.jsonl', `${JSON.stringify({ id: 'n1', user: 'boss', text: 'Do it.' })}\n`)
  let found: string | undefined
  await until(() => {
    // A file that is being written has a longer name.
    found = project.sessions().find((id) => !id.includes('.') && !known.has(id))
    return found !== undefined && statusOf(project, found) === status
  })
  return found as string
}

test('edits of a session that has ended reach its record, while the daemon runs and after a restart', async () => {
  const engine = await openEngineProject(files)
  const { project, keeper } = engine
  await engine.startWorker()
  await engine.startDaemon()
  const session = await startSession(engine, 'completed')

  edit(project, session, (text) =>
    text
      .replace('content: First answer.', 'content: Corrected answer.')
      .replace('You plan.', 'You plan well.'),
  )
  await until(async () => editsIn(await keeper.read(session)).length === 1)
  const edited = await keeper.read(session)
  expect(contentsOf(edited)).toContain('Corrected answer.')
  expect(edited?.spec.systemPrompt).toContain('You plan well.')
  expect(edited?.status).toBe('completed')
  // The file shows the record again.
  await until(() => project.read(fileOf(session)).includes('journal.edited'))
  expect(project.read(fileOf(session))).toContain('content: Corrected answer.')

  // The whole conversation is replaced while no daemon runs.
  await project.cadre(['down', '--trust'])
  edit(project, session, (text) => {
    const start = text.slice(0, text.indexOf('  - seq: 2'))
    return inMessages(start, (messages) => messages.replace('"Do it."', '"Do it again."'))
  })
  await engine.startDaemon()
  await until(async () => JSON.stringify(await keeper.read(session)).includes('Do it again.'))
  await until(async () => (await keeper.read(session))?.status === 'completed')
  const last = await keeper.read(session)
  expect(contentsOf(last)).not.toContain('Corrected answer.')
  const [status] = (await project.cadre(['status', '--json'])).json()
  expect(status).toMatchObject({ problems: [] })
})

test('an edit of a running session is applied once, even if its worker is killed, and an unreadable one is kept', async () => {
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const slowly = async function* () {
    await released
    yield* streamOf({ text: 'Done.' })
  }
  await using wire = await startWire(() => answers.raw(slowly()))
  const engine = await openEngineProject(files, { modelUrl: wire.url })
  const { project, keeper } = engine
  const first = await engine.startWorker()
  await engine.startDaemon()
  const session = await startSession(engine, 'active')
  const path = fileOf(session)
  await wire.received(1)
  await until(() => project.read(path).includes('"Do it."'))

  edit(project, session, (text) => text.replace('role: user', 'role: "user'))
  await until(() => project.exists(`${path}.edit-1`))
  expect(project.read(`${path}.edit-1`)).toContain('role: "user')
  await until(() => project.read(path).includes('role: user'))
  const problems = async () => {
    const [status] = (await project.cadre(['status', '--json'])).json() as {
      problems: { message: string }[]
    }[]
    return status?.problems.map(({ message }) => message) ?? []
  }
  await until(async () => (await problems()).some((message) => message.includes('.edit-1')))
  rmSync(project.at(`${path}.edit-1`))
  await until(async () => (await problems()).length === 0)

  edit(project, session, (text) =>
    inMessages(text, (messages) => messages.replace('"Do it."', '"Do it twice."')),
  )
  first.child.kill('SIGKILL')
  await first.ended()
  await engine.startWorker()
  await until(() => project.read(path).includes('journal.edited'))
  release()
  await until(() => statusOf(project, session) === 'completed')
  const edited = await keeper.read(session)
  expect(edited?.entries.filter(({ role }) => role === 'user')).toMatchObject([
    { content: expect.stringContaining('"Do it twice."') },
  ])
  expect(editsIn(edited)).toHaveLength(1)
})
