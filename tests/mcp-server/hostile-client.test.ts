import { setMaxListeners } from 'node:events'
import { readdirSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { serveMcpStdio } from '../../packages/protocols/src/index.ts'
import { until } from '../cli/support/until.ts'
import { createWorld, runIn } from './support/host.ts'

test.each([
  ['no work', {}, 'work is missing'],
  ['empty work', { work: ' \u200b\n' }, 'work must not be empty'],
  ['work of another type', { work: ['x'] }, 'work must be a string'],
  ['endless work', { work: 'x'.repeat(100_001) }, 'work must have at most 100000 characters, not 100001'],
  [
    'a flag that would widen',
    { work: 'x', allow: ['write'] },
    'allow is unknown. Known keys: work, team, agent',
  ],
  ['trust', { work: 'x', trust: true }, 'trust is unknown'],
  ['a longer wait', { work: 'x', wait_seconds: 600 }, 'wait_seconds must be at most 25'],
  ['an unknown team', { work: 'x', team: '../../etc' }, 'Call list_agents to see teams and agents.'],
])('refuses %s with a sentence that helps a model', async (_, input, reason) => {
  const world = createWorld({ assistant: [] })
  const host = await world.connect()
  const text = await host.call('delegate_work', input)
  expect(text).toMatch(/^ERROR: /)
  expect(text).toContain(reason)
  expect(world.launched).toEqual([])
})

test('an unknown agent fails at once and names the known ones', async () => {
  const world = createWorld({ assistant: [] })
  const host = await world.connect()
  const text = await host.call('delegate_work', { work: 'x', agent: 'asistant' })
  expect(text).toMatch(/^ERROR: Run \S+: failed\. there is no agent named "asistant"/)
  expect(text).toContain('assistant')
})

test.each(['../../../etc/passwd', '.daemon', 'a/b', 'x\u0000y', 'nobody-00000000'])(
  'there is no run %j',
  async (run) => {
    const world = createWorld({ assistant: [{ reply: 'x' }] })
    const host = await world.connect()
    for (const tool of ['wait_for_run', 'get_result', 'cancel_run'])
      expect(await host.call(tool, { run })).toMatch(/^ERROR: there is no run /)
  },
)

test('Cadre does not delegate to itself', async () => {
  const world = createWorld({ assistant: [] })
  const host = await world.connect({ name: 'cadre' })
  expect(await host.call('delegate_work', { work: 'x' })).toMatch(/^ERROR: Cadre does not delegate to itself/)
  expect(world.launched).toEqual([])
})

test('a session that an agent delegated to is not a run', async () => {
  const lanes = {
    assistant: [
      { calls: [{ tool: 'delegate_task', input: { agent: 'helper', task: 'help' } }] },
      { reply: 'done' },
    ],
    helper: [{ reply: 'helped' }],
  }
  const world = createWorld(lanes, {
    '.cadre/templates/helper.agent.yaml': { id: 'helper', description: 'x', system_prompt: 'x' },
  })
  const host = await world.connect()
  await host.call('delegate_work', { work: 'x', agent: 'assistant' })
  const child = readdirSync(world.at('project/.cadre/sessions')).find((name) => name.startsWith('helper'))
  expect(child).toBeDefined()
  expect(await host.call('cancel_run', { run: child?.replace('.session.yaml', '') })).toMatch(
    /^ERROR: there is no run/,
  )
})

test('limits the delegated runs that work at the same time, and parallel calls share the limit', async () => {
  const world = createWorld({ assistant: [{ hang: true }] })
  const hosts = await Promise.all([world.connect({ launches: false }), world.connect({ launches: false })])
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  const refused: string[] = []
  const calls = [...Array(12).keys()].map(async (at) => {
    const answer = hosts[at % 2]?.call('delegate_work', { work: `${at}` }, { signal: stop.signal })
    const text = await answer?.catch(() => undefined)
    if (text !== undefined) refused.push(text)
  })
  await until(() => refused.length === 4)
  stop.abort()
  await Promise.all(calls)
  expect(refused.every((text) => text.startsWith('ERROR: 8 delegated runs are running'))).toBe(true)
  expect(new Set(world.launched).size).toBe(8)
})

test('answers many calls at once and refuses more than it can work on', async () => {
  const world = createWorld({ assistant: [{ hang: true }] })
  const host = await world.connect()
  const id = runIn(await host.call('delegate_work', { work: 'x', wait_seconds: 0 }))
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  const waiting = [...Array(70).keys()].map(() =>
    host.call('wait_for_run', { run: id }, { signal: stop.signal }).catch(() => 'stopped'),
  )
  expect(await Promise.race(waiting)).toMatch(/^ERROR: Too many calls at the same time/)
  stop.abort()
  await Promise.all(waiting)
  expect(await host.call('list_runs')).toContain(id)
})

test('reports progress while a call waits, and a cancelled call does not stop the run', async () => {
  const world = createWorld({ assistant: [{ hang: true }] })
  const host = await world.connect()
  const id = runIn(await host.call('delegate_work', { work: 'x', wait_seconds: 0 }))
  const stop = new AbortController()
  const news: string[] = []
  const onprogress = ({ message = '' }) => {
    news.push(message)
    stop.abort()
  }
  await expect(host.call('wait_for_run', { run: id }, { onprogress, signal: stop.signal })).rejects.toThrow()
  expect(news[0]).toMatch(/^assistant: thinking \(round 1\)$|is starting$/)
  expect(await host.call('get_result', { run: id })).toMatch(/: (running|starting)\./)
})

test.each([
  ['text that is no JSON', 'hello\n{"a":\n'],
  [
    'messages of no known kind',
    '{"jsonrpc":"2.0"}\n[]\nnull\n42\n"x"\n{"jsonrpc":"1.0","id":1,"method":"x"}\n',
  ],
  [
    'calls before the handshake',
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"delegate_work"}}\n',
  ],
  [
    'deep nesting',
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}\n`,
  ],
  ['an endless line', 'x'.repeat(5 << 20)],
])('survives %s, and starts nothing', async (_, bytes) => {
  const world = createWorld({ assistant: [] })
  const [input, output] = [new PassThrough(), new PassThrough()]
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const { environment } = world
  const launch = () => {
    throw new Error('unreachable: nothing must start')
  }
  const options = { environment, workspace: world.at('project'), version: '0', launch, input, output }
  const served = serveMcpStdio(options, stop.signal)
  output.resume()
  input.write(bytes)
  input.end()
  await served
})
