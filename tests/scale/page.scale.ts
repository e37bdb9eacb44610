import { applyToView, type CadreEvent, emptyView } from '@cadre/core'
import { answers, startWire, streamOf } from '@cadre/testing'
import { expect, test } from 'vitest'
import { logIn, type Opened } from '../cli/support/log-in.ts'
import type { Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { openEngineProject } from './support/engine-project.ts'

const files = {
  '.cadre/templates/planner.agent.yaml':
    'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n',
}

const openPage = async (project: Project) =>
  logIn((await project.cadre(['open', '--json'])).json()[0] as unknown as Opened)

/** Text that the test releases in two halves. */
function heldReply(text: string) {
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const pieces = async function* () {
    const [first = '', second = '', ...rest] = streamOf({ text, pieces: 2 })
    yield first
    yield second
    await released
    yield* rest
  }
  return { answer: () => answers.raw(pieces()), release }
}

test('the page shows a reply while a worker receives it, also after the worker was killed', async () => {
  const reply = heldReply('Hello world.')
  await using wire = await startWire(reply.answer)
  const engine = await openEngineProject(files, { modelUrl: wire.url })
  const { project } = engine
  const first = await engine.startWorker()
  await engine.startDaemon()
  const client = await openPage(project)
  const { id } = await client.startSession({ body: { work: 'Greet.', agent: 'planner' } })
  const leave = new AbortController()
  const view = emptyView()
  const seen: CadreEvent[] = []
  const following = (async () => {
    for await (const part of client.events({ root: [id], signal: leave.signal })) {
      if (part.kind !== 'event' || part.event.type !== 'event') continue
      seen.push(part.event.event)
      applyToView(view, part.event.event)
    }
  })().catch(() => {})
  const shown = () => view.sessions.get(id)?.rounds.map((round) => round.reply)
  await until(() => seen.some(({ type }) => type === 'text.added'))
  expect(seen.some(({ type }) => type === 'reply.received')).toBe(false)
  await until(() => shown()?.[0] === 'Hello ')

  first.child.kill('SIGKILL')
  await first.ended()
  const before = seen.length
  await engine.startWorker()
  await until(() => seen.slice(before).some(({ type }) => type === 'text.added'))
  expect(shown()).toEqual(['Hello '])
  reply.release()
  await until(() => seen.some(({ type }) => type === 'session.ended'))
  expect(shown()).toEqual(['Hello world.'])
  leave.abort()
  await following
})

test('the page resumes a session that was cancelled on a worker, and says why it cannot resume another', async () => {
  const reply = heldReply('Done at last.')
  await using wire = await startWire(reply.answer)
  const engine = await openEngineProject(files, { modelUrl: wire.url })
  const { project, keeper } = engine
  await engine.startWorker()
  await engine.startDaemon()
  const client = await openPage(project)
  const { id } = await client.startSession({ body: { work: 'Do it.', agent: 'planner' } })
  const file = `.cadre/sessions/${id}.session.yaml`
  await wire.received(1)
  await until(() => project.exists(file))
  expect(await client.cancelSession({ params: { id }, body: {} })).toEqual({ cancelled: true })
  await until(() => /^ {2}outcome: cancelled/m.test(project.read(file)))
  await until(async () => (await client.listSessions()).items[0]?.state === 'ended')

  reply.release()
  expect(await client.resumeSession({ params: { id } })).toEqual({ id })
  await until(() => /^ {2}outcome: completed/m.test(project.read(file)))
  expect(project.read(file)).toContain('Done at last.')
  await expect(client.resumeSession({ params: { id } })).rejects.toMatchObject({ status: 409 })

  // A message from the page, and commands that read the session.
  await client.sendMessage({ params: { id }, body: { text: 'And now?' } })
  await until(() => project.read(file).includes('And now?') && /^status: completed/m.test(project.read(file)))
  for (const command of ['show', 'tree'])
    expect((await project.cadre(['sessions', command, id])).code).toBe(0)

  // A rewind on the page reaches the record on the server.
  const seq = (await keeper.read(id))?.entries.find(({ content }) => content === 'And now?')?.seq ?? 0
  const { etag: ifMatch } = await client.listEntries({ params: { id } })
  await client.rewindSession({ params: { id }, body: { seq }, ifMatch })
  await until(
    async () => (await keeper.read(id))?.entries.every(({ content }) => content !== 'And now?') === true,
  )
  expect(JSON.stringify(await keeper.read(id))).toContain('Done at last.')
})
