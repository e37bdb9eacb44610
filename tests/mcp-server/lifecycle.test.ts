import { appendFileSync, existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { executeDelegatedRun } from '../../packages/protocols/src/index.ts'
import { until } from '../cli/support/until.ts'
import { inDeep } from '../support/amount.ts'
import { createWorld, runIn } from './support/host.ts'

const helper = {
  '.cadre/templates/helper.agent.yaml': { id: 'helper', description: 'x', system_prompt: 'x' },
}

test('cancels a run wherever it runs', async () => {
  const world = createWorld({ assistant: [{ hang: true }] })
  const first = await world.connect()
  const id = runIn(await first.call('delegate_work', { work: 'x', wait_seconds: 0 }))
  const second = await world.connect()
  expect(await second.call('cancel_run', { run: id })).toContain(`Cancelling run ${id}.`)
  expect(await first.call('wait_for_run', { run: id })).toContain('(assistant): cancelled.')
  expect(await second.call('cancel_run', { run: id })).toContain('has already ended')
})

test('cancels a run that waits for a decision, and withdraws its approvals', async () => {
  const world = createWorld({
    assistant: [
      { calls: [{ tool: 'write_file', input: { path: 'a.txt', content: 'x' } }] },
      { reply: 'done' },
    ],
  })
  const host = await world.connect()
  const id = runIn(await host.call('delegate_work', { work: 'x' }))
  expect(await host.call('cancel_run', { run: id })).toContain('Cancelling')
  expect(await host.call('get_result', { run: id })).toContain('(assistant): cancelled.')
  expect(await host.call('list_approvals')).toBe('No approvals are pending.')
})

test('starts a run whose process died before it began, once', async () => {
  const world = createWorld({ assistant: [{ reply: 'late' }] })
  const host = await world.connect({ launches: false })
  const stop = new AbortController()
  const given = host.call('delegate_work', { work: 'x' }, { signal: stop.signal }).catch(() => {})
  await until(() => world.launched.length === 1)
  stop.abort()
  await given
  await host.kill()
  const [id = ''] = world.launched
  const file = world.at('project/.cadre/storage/delegations', `${id}.process.json`)
  const process = JSON.parse(readFileSync(file, 'utf8')) as object
  world.write(`project/.cadre/storage/delegations/${id}.process.json`, { ...process, launched: 1 })
  const others = await Promise.all([world.connect(), world.connect(), world.connect()])
  const answers = await Promise.all(others.map((other) => other.call('wait_for_run', { run: id })))
  for (const text of answers) expect(text).toContain('late')
  expect(world.launched).toEqual([id, id])
})

inDeep('a run that was cancelled before its process began never starts', async () => {
  const world = createWorld({ assistant: [{ reply: 'too late' }] })
  const host = await world.connect({ launches: false })
  const id = runIn(await host.call('delegate_work', { work: 'x', wait_seconds: 0 }))
  const file = `project/.cadre/storage/delegations/${id}.process.json`
  // As if the machine had been suspended since.
  world.write(file, { launched: 1 })
  expect(await host.call('cancel_run', { run: id })).toContain(`Cancelling run ${id}.`)
  const { environment } = world
  expect(await executeDelegatedRun({ environment, id }, new AbortController().signal)).toBeUndefined()
  expect(await host.call('get_result', { run: id })).toContain('test-host cancelled it before it started')
  expect(existsSync(world.at('project/.cadre/sessions', `${id}.session.yaml`))).toBe(false)
})

test('removes the files of old runs that have ended, and keeps those of runs that wait', async () => {
  const write = { calls: [{ tool: 'write_file', input: { path: 'a.txt', content: 'x' } }] }
  const world = createWorld({ assistant: [write, { reply: 'done' }] })
  const host = await world.connect()
  const ended = runIn(await host.call('delegate_work', { work: 'x', read_only: true }))
  const waiting = runIn(await host.call('delegate_work', { work: 'x' }))
  await world.idle()
  const folder = world.at('project/.cadre/storage/delegations')
  for (const name of readdirSync(folder)) utimesSync(path.join(folder, name), 1, 1)
  const fresh = runIn(await host.call('delegate_work', { work: 'x' }))
  const ids = new Set(readdirSync(folder).map((name) => name.split('.')[0]))
  expect([...ids].toSorted()).toEqual([waiting, fresh].toSorted())
  expect(await host.call('get_result', { run: ended })).toContain('done')
  expect(await host.call('cancel_run', { run: ended })).toContain('has already ended')
})

test('removes the oldest files of ended runs if there are too many, and none of runs that run or wait', async () => {
  const write = { calls: [{ tool: 'write_file', input: { path: 'a.txt', content: 'x' } }] }
  const world = createWorld({ assistant: [write, { reply: 'done' }], helper: [{ hang: true }] }, helper)
  const host = await world.connect()
  const waiting = runIn(await host.call('delegate_work', { work: 'x', agent: 'assistant' }))
  const running = runIn(await host.call('delegate_work', { work: 'x', agent: 'helper', wait_seconds: 0 }))
  const ended = runIn(await host.call('delegate_work', { work: 'x', agent: 'assistant', read_only: true }))
  // The answer comes before the process of the run has ended.
  await world.idle(running)
  const folder = world.at('project/.cadre/storage/delegations')
  const now = Date.now() / 1000
  const isOf = (id: string) => (name: string) => name.startsWith(`${id}.`)
  const age = (id: string, seconds: number) => {
    for (const name of readdirSync(folder).filter(isOf(id)))
      utimesSync(path.join(folder, name), now - seconds, now - seconds)
  }
  for (const id of [waiting, running, ended]) age(id, 1000)
  // Runs whose process failed before there was a session.
  const others = [...Array(205).keys()].map((at) => `other-${String(at).padStart(8, '0')}`)
  for (const [at, id] of others.entries()) {
    const request = { id, work: 'x', workspace: world.at('project'), host: 'x', created: '2026-01-01' }
    world.write(`project/.cadre/storage/delegations/${id}.json`, request)
    world.write(`project/.cadre/storage/delegations/${id}.process.json`, {
      launched: 1,
      failed: 'It failed.',
    })
    age(id, 900 - at)
  }
  const fresh = runIn(await host.call('delegate_work', { work: 'x', agent: 'assistant', read_only: true }))
  const ids = new Set(readdirSync(folder).map((name) => name.split('.')[0]))
  expect([...ids].toSorted()).toEqual([waiting, running, fresh, ...others.slice(5)].toSorted())
  expect(await host.call('get_result', { run: ended })).toContain('done')
  expect(await host.call('get_result', { run: running })).toContain(': running.')
})

inDeep('removes old runs although many older ones wait', async () => {
  const write = { calls: [{ tool: 'write_file', input: { path: 'a.txt', content: 'x' } }] }
  const world = createWorld({ assistant: [write, { reply: 'done' }] })
  const host = await world.connect()
  const delegate = async (readOnly: boolean) =>
    runIn(await host.call('delegate_work', { work: 'x', read_only: readOnly }))
  const waiting: string[] = []
  for (let n = 0; n < 21; n++) waiting.push(await delegate(false))
  const ended = await delegate(true)
  await world.idle()
  const folder = world.at('project/.cadre/storage/delegations')
  for (const name of readdirSync(folder))
    utimesSync(path.join(folder, name), 1, name.startsWith(ended) ? 2 : 1)
  await delegate(true)
  const ids = new Set(readdirSync(folder).map((name) => name.split('.')[0]))
  expect(waiting.every((id) => ids.has(id))).toBe(true)
  expect(ids.has(ended)).toBe(false)
})

test('resumes a run that was interrupted in the middle', async () => {
  const world = createWorld({ assistant: [{ reply: 'finished' }] })
  const host = await world.connect()
  const id = runIn(await host.call('delegate_work', { work: 'x' }))
  const journal = world.at('project/.cadre/sessions', `${id}.session.yaml`)
  const text = readFileSync(journal, 'utf8')
  // As a killed process leaves it: active, without a reply.
  const head = text.slice(0, text.indexOf('  - seq: 2\n'))
  world.write(
    `project/.cadre/sessions/${id}.session.yaml`,
    head.replace(/^status: completed.*$/m, 'status: active   ').replace(/^( *outcome:).*$/m, '$1 null'),
  )
  expect(await host.call('wait_for_run', { run: id })).toContain('finished')
  expect(world.launched).toEqual([id, id])
})

test('a delegation can be restricted to reading, and the server can restrict all of them', async () => {
  const lanes = {
    assistant: [
      { calls: [{ tool: 'write_file', input: { path: 'a.txt', content: 'x' } }] },
      { reply: 'tried' },
    ],
  }
  const world = createWorld(lanes)
  const host = await world.connect()
  expect(await host.call('delegate_work', { work: 'x', read_only: true })).toContain('tried')
  const restricted = await world.connect({ readOnly: true })
  expect(await restricted.call('delegate_work', { work: 'x', read_only: false })).toContain('tried')
})

test('joins the trace of the call', async () => {
  const world = createWorld({ assistant: [{ reply: 'x' }] })
  const host = await world.connect()
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const { content } = await host.client.callTool({
    name: 'delegate_work',
    arguments: { work: 'x', wait_seconds: 25 },
    _meta: { traceparent },
  })
  const id = runIn((content as { text: string }[])[0]?.text ?? '')
  expect(readFileSync(world.at('project/.cadre/sessions', `${id}.session.yaml`), 'utf8')).toContain(
    traceparent,
  )
})

test('a home that is not trusted is not used, and the variable for trust is ignored', async () => {
  const world = createWorld({ assistant: [{ reply: 'read only' }] })
  world.write('project/.cadre/config.yaml', { entry: 'nobody' })
  world.environment.env['CADRE_TRUST'] = '1'
  const host = await world.connect()
  const text = await host.call('delegate_work', { work: 'x' })
  expect(text).toContain('read only')
  expect(await host.call('get_result', { run: runIn(text) })).toContain('read only')
  expect(text).toContain(
    'Notice: the person has not trusted this folder, so the agents could only read files',
  )
})

test('keeps tasks in the task files of the home', async () => {
  const world = createWorld({ assistant: [] })
  const host = await world.connect()
  expect(await host.call('list_tasks')).toContain('There are no open tasks')
  const created = await host.call('create_task', {
    title: 'Fix the build',
    agent: 'builder',
    priority: 'a',
    description: 'a\n- [ ] b',
  })
  const id = /Created task (\S+) /.exec(created)?.[1]
  expect(created).toContain('No daemon is running')
  expect(await host.call('list_tasks')).toMatch(
    new RegExp(`^- ${id}: Fix the build \\(open, priority A, @builder, tasks/delegated.task.md\\)$`),
  )
  appendFileSync(world.at('project/.cadre/tasks/delegated.task.md'), '- [x] "old"\n')
  expect(await host.call('list_tasks', { all: true })).toContain('old (done')
  expect(await host.call('create_task', { title: 'x', agent: '@a b' })).toMatch(
    /^ERROR: .*is not the name of an agent/,
  )
})

test('a read-only server gives no task to an agent, which the daemon would run without that restriction', async () => {
  const world = createWorld({ assistant: [] })
  const host = await world.connect({ readOnly: true })
  expect(await host.call('create_task', { title: 'x', agent: 'builder' })).toMatch(/^ERROR: .*is read-only/)
  expect(await host.call('create_task', { title: 'x' })).toContain('a person must assign it')
})

test('offers runs as resources, and a prompt for people', async () => {
  const world = createWorld({ assistant: [{ reply: 'the report' }] })
  const host = await world.connect()
  const id = runIn(await host.call('delegate_work', { work: 'x' }))
  const { resources } = await host.client.listResources()
  expect(resources.map(({ uri }) => uri)).toEqual([`cadre://runs/${id}`])
  const { contents } = await host.client.readResource({ uri: `cadre://runs/${id}` })
  expect(JSON.stringify(contents)).toContain('the report')
  await expect(host.client.readResource({ uri: 'cadre://runs/none' })).rejects.toThrow()
  const { messages } = await host.client.getPrompt({ name: 'delegate', arguments: { task: 'Fix it' } })
  expect(JSON.stringify(messages)).toContain('Fix it')
})

test('tells hosts which tools only read, and which to load first', async () => {
  const world = createWorld({ assistant: [] })
  const host = await world.connect({ client: { versionNegotiation: { mode: 'auto' } } })
  const { tools } = await host.client.listTools()
  const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name)
  expect(reading).toEqual([
    'wait_for_run',
    'get_result',
    'list_runs',
    'list_approvals',
    'list_agents',
    'list_tasks',
  ])
  const first = tools.filter(({ _meta }) => _meta?.['anthropic/alwaysLoad'] === true).map(({ name }) => name)
  expect(first).toEqual(['delegate_work', 'wait_for_run'])
  expect(tools.every(({ outputSchema }) => outputSchema === undefined)).toBe(true)
  expect(host.client.getInstructions()).toContain('delegate_work')
  expect(await host.call('list_agents')).toContain('- supervisor:')
})
