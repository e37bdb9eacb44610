import type { Settings } from '@cadre/runtime'
import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import type { Check } from '../../packages/cli/src/commands/doctor/check.ts'
import { checkEngine } from '../../packages/cli/src/commands/doctor/check-engine.ts'
import { createProject } from '../cli/support/project.ts'
import { countingTools } from '../engine/tools.ts'
import { openEngineProject } from './support/engine-project.ts'
import { hangingLook } from './support/hanging-look.ts'
import { admin, ingress, newPlace, restAfter, startScaleWorker, until } from './support/scale-worker.ts'

const request = { agent: 'lead', work: 'do it', workspace: '/work' }
const agents = [{ name: 'lead' }]
const lanes = { lead: [call(['look', { path: 'a' }]), say('end')] }

async function query<Row>(sql: string): Promise<readonly Row[]> {
  const response = await fetch(`${admin()}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: sql }),
  })
  return ((await response.json()) as { rows: Row[] }).rows
}

const statusOf = (place: string, session: string) =>
  query<{ id: string; status: string }>(
    `select id, status from sys_invocation where target_service_name = 'cadre-${place}' and target_service_key = '${session}' and target_handler_name = 'run' and status <> 'completed'`,
  )

async function doctor(engine: object, stuckAfter = 60): Promise<readonly Check[]> {
  const full = { kind: 'restate', ingress: ingress(), admin: admin(), ...engine }
  return checkEngine({ config: { engine: full } } as unknown as Settings, 60_000, { stuckAfter })
}

/** The problems, without the one that says that no worker of the command runs. */
const problemsIn = (checks: readonly Check[]) =>
  checks.filter(({ status, message }) => status !== 'ok' && !message.includes('no worker is running'))

/** A tree whose worker stops while one of its calls runs. Returns the port of the worker. */
async function strand(place: string, session: string): Promise<number> {
  const looks = hangingLook()
  const { keeper, worker } = await startScaleWorker({ place, agents, lanes, tools: looks.tools })
  await keeper.start({ ...request, id: session })
  await until(() => looks.count() === 1)
  await worker.close()
  return worker.port
}

test('doctor reports a paused session of its place with the command that resumes it, and not one of a place with a longer name', async () => {
  const place = newPlace()
  const longer = `${place}x`
  const port = await strand(place, 'tree-a')
  await strand(longer, 'tree-b')
  for (const [of, session] of [
    [place, 'tree-a'],
    [longer, 'tree-b'],
  ] as const) {
    const [found] = await statusOf(of, session)
    const paused = await fetch(`${admin()}/invocations/${found?.id}/pause`, { method: 'PATCH' })
    expect(paused.ok).toBe(true)
    await until(async () => (await statusOf(of, session))[0]?.status === 'paused')
  }
  const [problem, ...others] = problemsIn(await doctor({ place }))
  expect(others).toEqual([])
  expect(problem).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('the server has paused session tree-a'),
  })
  expect(problemsIn(await doctor({ place: longer }))).toMatchObject([
    { message: expect.stringContaining('the server has paused session tree-b') },
  ])

  const effects = countingTools()
  const { keeper } = await startScaleWorker({
    place,
    port,
    agents,
    lanes,
    tools: effects.tools,
    worker: { fresh: 2_000 },
  })
  const url = /curl -X PATCH (\S+)/.exec(problem?.fix ?? '')?.[1] as string
  const result = await restAfter(keeper, async () => {
    keeper.watch('tree-a')
    expect((await fetch(url, { method: 'PATCH' })).ok).toBe(true)
  })
  expect(result).toMatchObject({ kind: 'report', report: { status: 'completed' } })
  expect(problemsIn(await doctor({ place }))).toEqual([])
})

test('doctor names the ledger, the list of changes and the mailbox if their worker does not answer', async () => {
  const place = newPlace()
  await strand(place, 'tree-a')
  const send = (path: string, body: unknown) =>
    fetch(`${ingress()}/cadre-${place}-${path}/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await send('ledger/2026-11-19/change', {})).status).toBe(202)
  expect((await send('directory/place/note', { root: 'tree-a', sessions: [] })).status).toBe(202)
  expect((await send('messages/tree-a/send', [{ kind: 'wake' }])).status).toBe(202)
  await until(async () => {
    const found = await query(
      `select id from sys_invocation where target_service_name like 'cadre-${place}%' and status = 'backing-off' and retry_count > 2 and last_failure like '%refused%'`,
    )
    return found.length === 4
  })
  expect(problemsIn(await doctor({ place }))).toMatchObject([
    {
      status: 'fail',
      message: expect.stringMatching(
        `^(the budgets and limits that all machines share \\(cadre-${place}-ledger\\)|the list of sessions that have changed \\(cadre-${place}-directory\\)), .*, the mailbox of session tree-a and 1 other request cannot continue: .*refused`,
      ),
      fix: expect.stringContaining('Start the worker at this address again'),
    },
  ])
  // The place that keeps the budgets may be another one.
  expect(problemsIn(await doctor({ place: newPlace(), ledger: place }))).toMatchObject([
    { message: expect.stringMatching(/^the budgets and limits that all machines share .* cannot continue/) },
  ])
})

test('doctor reports a request that a worker has received and does not end', async () => {
  const place = newPlace()
  const sdk = await import('@restatedev/restate-sdk')
  const { createServer } = await import('node:http2')
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  // A worker of ours cannot be made to hang there from outside.
  const ledger = sdk.object({
    name: `cadre-${place}-ledger`,
    handlers: { change: async () => released },
  })
  const server = createServer(sdk.createEndpointHandler({ services: [ledger], logger: () => {} }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const registered = await fetch(`${admin()}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true }),
  })
  expect(registered.ok).toBe(true)
  await fetch(`${ingress()}/cadre-${place}-ledger/trees/change/send`, { method: 'POST' })
  await until(async () => problemsIn(await doctor({ place }, 1)).length > 0)
  expect(problemsIn(await doctor({ place }, 1))).toMatchObject([
    {
      status: 'fail',
      message: expect.stringContaining(`has not answered: the budgets and limits that all machines share`),
      fix: expect.stringContaining('Restart the worker'),
    },
  ])
  expect(problemsIn(await doctor({ place }, 600))).toEqual([])
  release()
  await until(async () => problemsIn(await doctor({ place }, 1)).length === 0)
  server.close()
})

const files = {
  'playbook.yaml': { lanes: { planner: [{ reply: 'It is done.' }] } },
  '.cadre/templates/planner.agent.yaml':
    'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n',
  '.claude/settings.json': {
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'sh hooks/stop.sh' }] }] },
  },
  'hooks/stop.sh': 'exit 0\n',
}

test('doctor says what differs between the workers of a place', async () => {
  const { project, startWorker } = await openEngineProject(files)
  const config = project.read('.cadre/config.yaml')
  await startWorker()
  const other = createProject({
    ...files,
    'hooks/stop.sh': 'exit 2\n',
    '.cadre/config.yaml': config,
  })
  await startWorker({
    project: other,
    port: 0,
    args: ['--allow', 'execute'],
  })
  const { stdout } = await project.cadre(['doctor', '--json'], { env: { CADRE_TRUST: '1' } })
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  const warnings = checks.filter(({ name, status }) => name === 'engine' && status !== 'ok')
  expect(warnings).toMatchObject([
    {
      status: 'warn',
      message: expect.stringMatching(/differ in: scripts that hooks run, allowed tools \(--allow\)$/),
      fix: expect.stringContaining('restart both'),
    },
  ])
})
