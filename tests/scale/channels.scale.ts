import { freePort } from '@cadre/testing'
import { expect, test } from 'vitest'
import { createProject } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { openEngineProject } from './support/engine-project.ts'

test('a webhook starts a session on a worker, whose answer is in the session file of the daemon', async () => {
  const port = await freePort()
  const { project, keeper, startWorker, startDaemon } = await openEngineProject({
    'playbook.yaml': {
      lanes: { planner: [{ reply: 'I have seen the issue.' }] },
    },
    '.cadre/templates/planner.agent.yaml':
      'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n',
    '.cadre/inbox/routes.yaml': { routes: [{ from: 'tracker', to: 'planner' }] },
    '.cadre/config.yaml': `daemon: { port: ${port} }
channels: { webhook: { hooks: { tracker: { scheme: token, secret_env: TRACKER_SECRET } } } }
`,
  })
  await startWorker()
  await startDaemon({ TRACKER_SECRET: 'a-secret' })
  const post = (token: string, key: string) =>
    fetch(`http://127.0.0.1:${port}/hooks/tracker`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'idempotency-key': key,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ title: 'It does not start.' }),
    })
  expect((await post('wrong', 'r1')).status).toBe(401)
  expect((await post('a-secret', 'r1')).status).toBe(202)
  const fileOf = (session: string) => project.read(`.cadre/sessions/${session}.session.yaml`)
  const isAnswered = (session: string, text: string) =>
    fileOf(session).includes(text) && /^status: completed/m.test(fileOf(session))
  await until(() => project.sessions().some((session) => isAnswered(session, 'I have seen the issue.')))
  const [session = ''] = project.sessions()
  expect(fileOf(session)).toMatch(/^ {2}engine_place: /m)
  expect(await keeper.read(session)).toMatchObject({ status: 'completed' })
  // A repeated request starts nothing.
  expect((await post('a-secret', 'r1')).status).toBe(200)
  expect((await post('a-secret', 'r2')).status).toBe(202)
  await until(() => {
    const answered = project.sessions().filter((one) => isAnswered(one, 'I have seen the issue.'))
    return answered.length === 2
  })
  expect(project.read('.cadre/inbox/tracker.jsonl').trim().split('\n')).toHaveLength(2)
})

test('on another machine of the place, the commands for sessions and approvals say where to run them', async () => {
  const { project, startWorker } = await openEngineProject({
    'playbook.yaml': { lanes: { planner: [{ reply: 'It is done.' }] } },
    '.cadre/templates/planner.agent.yaml':
      'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n',
  })
  const other = createProject({
    'playbook.yaml': project.read('playbook.yaml'),
    '.cadre/config.yaml': project.read('.cadre/config.yaml'),
    '.cadre/templates/planner.agent.yaml': project.read('.cadre/templates/planner.agent.yaml'),
  })
  await startWorker({ project: other })
  const where = 'If "cadre up" runs on another machine, run this command there'
  for (const [args, code] of [
    [['approvals'], 0],
    [['sessions', 'list'], 0],
    [['approve', 'approval-1'], 2],
    [['reject', 'approval-1'], 2],
    [['sessions', 'cancel', 'planner-1'], 2],
  ] as const) {
    const ended = await other.cadre([...args], { env: { CADRE_TRUST: '1' } })
    expect(`${ended.stdout}${ended.stderr}`.replaceAll(/\s+/g, ' '), args.join(' ')).toContain(where)
    if (code === 0) expect(ended.code).toBe(0)
    else expect(ended.code).not.toBe(0)
  }
})
