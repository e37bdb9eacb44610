import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { inspectCopilot } from '@cadre/backends'
import { expect, it, onTestFinished } from 'vitest'
import { until } from '../cli/support/until.ts'
import { resultCount, userText } from './support/fake-github.ts'
import { agentFile, openWorld, type World } from './support/open-world.ts'
import { serversOf } from './support/servers-of.ts'

const bin = path.join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'cadre.js')
const reader = agentFile('reader', 'tools: [read]', 'You read files.')

/** Starts the built command in this world. */
function start(world: World, ...args: string[]) {
  const child = spawn(process.execPath, [bin, 'run', '--model', 'copilot-ls:gpt-5', '--trust', ...args], {
    cwd: world.folder,
    env: world.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  return { child, ended: once(child, 'close') as Promise<[number | null]>, output: () => output }
}

it('ends the command and the server together when the work is done', async () => {
  const world = await openWorld(
    (request) =>
      resultCount(request) === 0
        ? { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] }
        : { text: 'All read.' },
    { ...reader, 'a.txt': 'x' },
  )
  const run = start(world, '--agent', 'reader', 'Read a.txt')
  const [code] = await run.ended
  expect(run.output()).toContain('All read.')
  expect(code).toBe(0)
  await until(() => serversOf(world.github).length === 0)
})

it.each(['SIGKILL', 'SIGINT'] as const)(
  'leaves no server behind when the command gets %s',
  async (signal) => {
    const world = await openWorld(() => new Promise(() => {}), reader)
    const run = start(world, '--agent', 'reader', 'Wait')
    await until(() => world.github.chats.length > 0)
    expect(serversOf(world.github)).toHaveLength(1)
    run.child.kill(signal)
    await run.ended
    await until(() => serversOf(world.github).length === 0)
  },
)

it('resumes a run whose process was killed while the server waited for the model', async () => {
  const world = await openWorld(
    (request) =>
      resultCount(request) === 0
        ? { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] }
        : new Promise(() => {}),
    { ...reader, 'a.txt': 'the secret word' },
  )
  const run = start(world, '--agent', 'reader', 'Read a.txt')
  await until(() => world.github.chats.some((request) => resultCount(request) === 1))
  run.child.kill('SIGKILL')
  await run.ended
  world.github.script = (request) => ({
    text: userText(request).includes('the secret word') ? 'Resumed.' : 'Lost.',
  })
  const runtime = await world.open()
  const [session] = await runtime.list()
  const result = await runtime.orchestrator.resume(session!.id, {}, new AbortController().signal)
  expect(result).toMatchObject({
    kind: 'report',
    report: { status: 'completed', text: 'Resumed.', calls: 1 },
  })
})

it('stops the server and its turn when a run is aborted during a tool call', async () => {
  const world = await openWorld(() => new Promise(() => {}), reader)
  const runtime = await world.open()
  const stopper = new AbortController()
  const run = runtime.run({ work: 'Wait', agent: 'reader' }, stopper.signal)
  await until(() => world.github.chats.length > 0)
  stopper.abort()
  expect(await run).toMatchObject({ kind: 'report', report: { status: 'cancelled' } })
  await runtime.close()
  await until(() => serversOf(world.github).length === 0)
})

it('lists models and modes, and ends the server', async () => {
  const world = await openWorld(() => ({ text: 'x' }))
  const survey = () => inspectCopilot({ env: world.env, limit: 60_000 })
  expect(await survey()).toMatchObject({
    account: { kind: 'signed-in' },
    models: expect.arrayContaining([
      { id: 'claude-haiku-4.5', window: 124_000, maxOutput: 16_000, multiplier: 0.33, isDefault: false },
    ]),
    modes: expect.arrayContaining(
      ['Ask', 'Agent', 'InlineAgent'].map((id) => expect.objectContaining({ id })),
    ),
  })
  world.github.refuseTokens = 401
  const refused = await survey()
  expect(refused?.account?.kind).not.toBe('signed-in')
  expect(refused?.models).toBeUndefined()
  expect(serversOf(world.github)).toEqual([])
})

it('shows only read tools in the mode Ask', async () => {
  const world = await openWorld(
    ({ tools }) => ({ text: (tools ?? []).map(({ function: { name } }) => name).join() }),
    {
      ...agentFile('writer', 'tools: [read, edit]', 'You write.'),
    },
  )
  const runtime = await world.open({ model: 'copilot-ls:gpt-5@Ask' })
  const { text, model } = await world.report(runtime, 'Which tools?', 'writer')
  expect(model).toBe('copilot-ls:gpt-5@Ask')
  expect(text).toContain('read_file')
  expect(text).not.toContain('write_file')
})
