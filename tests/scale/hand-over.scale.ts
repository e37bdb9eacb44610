import { freePort } from '@cadre/testing'
import { expect, test } from 'vitest'
import { until } from '../cli/support/until.ts'
import { openEngineProject } from './support/engine-project.ts'

const files = {
  'playbook.yaml': { lanes: { lead: [{ reply: 'Done.' }] } },
  '.cadre/templates/lead.agent.yaml': 'id: lead\ntype: planner\nsystem_prompt: You lead.\n',
}

/** The checks about the engine. */
async function doctor({ project }: Awaited<ReturnType<typeof openEngineProject>>) {
  const { stdout } = await project.cadre(['doctor', '--json'])
  const all = JSON.parse(stdout) as {
    checks: { name: string; status: string; message: string; fix?: string }[]
  }
  return all.checks.filter(({ name }) => name === 'engine')
}

test('the worker that registered last gives the place back when it stops, and frees its port', async () => {
  const engine = await openEngineProject(files)
  const { project } = engine
  const old = await engine.startWorker()
  const port = await freePort()
  const next = await engine.startWorker({ port })
  await engine.startDaemon()
  next.child.kill('SIGTERM')
  await until(() => next.stdout().includes('worker.stopped'))
  expect(await next.ended()).toMatchObject({ code: 0 })
  expect(next.stderr()).not.toContain('cannot reach')
  const session = '.cadre/sessions/back-1.session.yaml'
  project.write(session, 'agent_id: lead\nmessages:\n  - role: user\n    content: Do it.\n')
  await until(() => project.exists(session) && /^status: completed/m.test(project.read(session)))
  expect(old.stdout()).toContain('back-1 is running on this worker')
  expect((await doctor(engine)).filter(({ status }) => status === 'fail')).toEqual([])
  // The other one is not the newest, so it changes nothing.
  const again = await engine.startWorker({ port })
  old.child.kill('SIGTERM')
  await old.ended()
  expect(old.stdout() + old.stderr()).not.toContain('now start on')
  expect(again.child.exitCode).toBeNull()
})

test('doctor says what to restart if the worker that registered last was killed, and that helps', async () => {
  const engine = await openEngineProject(files)
  const { project } = engine
  const old = await engine.startWorker()
  const port = await freePort()
  const next = await engine.startWorker({ port })
  await engine.startDaemon()
  next.child.kill('SIGKILL')
  await next.ended()
  const session = '.cadre/sessions/stuck-1.session.yaml'
  project.write(session, 'agent_id: lead\nmessages:\n  - role: user\n    content: Do it.\n')
  const advice = 'If another worker is running, restart that one'
  await until(async () => (await doctor(engine)).some(({ fix }) => fix?.includes(advice)))
  old.child.kill('SIGTERM')
  await old.ended()
  await engine.startWorker()
  await until(() => project.exists(session) && /^status: completed/m.test(project.read(session)))
})

test('status says that no worker answers, and no longer that the server cannot be reached when it is back', async () => {
  const engine = await openEngineProject(files)
  const { project } = engine
  await engine.startDaemon()
  const session = '.cadre/sessions/waits-1.session.yaml'
  const isShown = async (text: string) => (await project.cadre(['status', '--json'])).stdout.includes(text)
  const noWorker = 'no worker of place'
  await until(() => isShown(noWorker))
  const worker = await engine.startWorker()
  await until(async () => !(await isShown(noWorker)))
  worker.child.kill('SIGKILL')
  await worker.ended()
  project.write(session, 'agent_id: lead\nmessages:\n  - role: user\n    content: Do it.\n')
  await until(() => isShown(noWorker))
  engine.engine.child.kill('SIGTERM')
  await engine.engine.ended()
  await until(() => isShown('cannot reach the Restate server'))
  expect(await isShown(noWorker)).toBe(false)
  await engine.restartEngine()
  await until(() => isShown(noWorker))
  expect(await isShown('cannot reach the Restate server')).toBe(false)
  await engine.startWorker()
  await until(async () => project.exists(session) && /^status: completed/m.test(project.read(session)))
  await until(async () => !(await isShown(noWorker)))
})
