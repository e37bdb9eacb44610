import { createModels } from '@cadre/backends'
import type { Message, Model, ModelRequest, Reply, ReplyFailure, ToolOffer } from '@cadre/core'
import { createFakeClock } from '@cadre/testing'
import { expect, it, onTestFinished } from 'vitest'
import { until } from '../cli/support/until.ts'
import {
  type ChatScript,
  type FakeGitHub,
  lastResults,
  resultCount,
  startFakeGitHub,
} from './support/fake-github.ts'
import { agentFile, openWorld } from './support/open-world.ts'
import { serverPackage } from './support/server-command.ts'
import { serversOf } from './support/servers-of.ts'

const reader = agentFile('reader', 'tools: [read]', 'You read files.')
const look: ToolOffer = {
  name: 'look',
  description: 'Looks',
  parameters: { type: 'object', properties: { at: {} } },
}
const tools = [look]

/** One model without a session, with a stopped clock. */
async function openModel(script: ChatScript, env: { readonly [name: string]: string } = {}) {
  const github = await startFakeGitHub(script)
  const clock = createFakeClock()
  const models = createModels({
    clock,
    cwd: '/',
    env: {
      PATH: process.env['PATH'],
      HOME: '/nowhere',
      CADRE_COPILOT_SERVER: serverPackage(),
      ...github.env,
      ...env,
    },
  })
  onTestFinished(async () => {
    for (const pid of serversOf(github)) process.kill(pid, 'SIGKILL')
    await models.close?.()
    await github.close()
  })
  return { github, clock, models, model: () => modelOf(models, 'copilot-ls:gpt-5') }
}

async function modelOf(models: ReturnType<typeof createModels>, name: string): Promise<Model> {
  const found = await models.resolve(name)
  if (found.kind === 'unknown') throw new Error(found.reason)
  return found.model
}

function question(messages: readonly Message[], session = 's1'): ModelRequest {
  return { agent: 'a', session, round: 1, system: 'Be good.', messages, tools }
}

const user = (content: string): Message => ({ role: 'user', content })
const after = (reply: Reply | ReplyFailure, result: string): Message[] => {
  if (reply.kind !== 'reply') throw new Error(reply.message)
  return [
    { role: 'assistant', content: reply.content, tool_calls: reply.calls },
    { role: 'tool_result', tool_call_id: reply.calls[0]!.id, content: result },
  ]
}
const hooks = { text: () => {} }
const open = new AbortController().signal
const never = () => new Promise<never>(() => {})

it('ends a request immediately when it is cancelled', async () => {
  const { model, github } = await openModel(never)
  const asked = await model()
  const stopper = new AbortController()
  const reply = asked.reply(question([user('hello')]), hooks, stopper.signal)
  await until(() => github.chats.length === 1)
  stopper.abort()
  expect(await reply).toMatchObject({ kind: 'failed', code: 'cancelled' })
})

it('stops a turn that waits for a result when the session is released', async () => {
  const { model, github } = await openModel((request) =>
    resultCount(request) === 0
      ? { calls: [{ name: 'look', input: { at: 'x' } }, { name: 'look' }] }
      : { text: 'went on' },
  )
  const asked = await model()
  const first = await asked.reply(question([user('hello')]), hooks, open)
  expect(first).toMatchObject({
    kind: 'reply',
    calls: [{ function: { name: 'look', arguments: '{"at":"x"}' } }],
  })
  asked.release?.('s1')
  // Abandoned work does not happen, and the process can be used for the next one.
  github.script = () => ({ text: 'fresh' })
  expect(await asked.reply(question([user('again')], 's2'), hooks, open)).toMatchObject({ content: 'fresh' })
  expect(github.chats.filter((request) => resultCount(request) > 0)).toEqual([])
})

it('sends a person’s messages together with the result', async () => {
  const { model, github } = await openModel((request) =>
    resultCount(request) === 0 ? { calls: [{ name: 'look' }] } : { text: lastResults(request).join() },
  )
  const asked = await model()
  const messages = [user('hello')]
  const first = await asked.reply(question(messages), hooks, open)
  const reply = await asked.reply(
    question([...messages, ...after(first, 'seen it'), user('hurry up')]),
    hooks,
    open,
  )
  expect(reply).toMatchObject({ content: 'seen it\n\n<user_message>\nhurry up\n</user_message>' })
  expect(github.chats).toHaveLength(2)
})

it('starts a new conversation from the messages if the server was killed with an open call', async () => {
  const { model, github } = await openModel((request) =>
    JSON.stringify(request.messages).includes('seen it')
      ? { text: 'done' }
      : { text: 'Looking.', calls: [{ name: 'look' }] },
  )
  const asked = await model()
  const messages = [user('hello')]
  const first = await asked.reply(question(messages), hooks, open)
  const [pid] = serversOf(github)
  process.kill(pid!, 'SIGKILL')
  await until(() => !serversOf(github).includes(pid!))
  const reply = await asked.reply(question([...messages, ...after(first, 'seen it')]), hooks, open)
  expect(reply).toMatchObject({ kind: 'reply', content: 'done' })
  expect(JSON.stringify(github.chats.at(-1)!.messages)).toContain('Looking.')
})

it('retries if the server is killed in the middle of a turn, and gives up after three attempts', async () => {
  const { model, github } = await openModel(never)
  const asked = await model()
  const delays: string[] = []
  const reply = asked.reply(
    question([user('hello')]),
    { ...hooks, delayed: (reason) => delays.push(reason) },
    open,
  )
  for (const count of [1, 2, 3]) {
    await until(() => github.chats.length === count)
    for (const pid of serversOf(github)) process.kill(pid, 'SIGKILL')
  }
  expect(await reply).toEqual({
    kind: 'failed',
    code: 'backend',
    message: 'the Copilot language server was killed by SIGKILL. Tried 3 times.',
  })
  expect(delays).toHaveLength(2)
})

it('kills a hanging server, and uses a new one', async () => {
  const { model, github, clock } = await openModel(never)
  const asked = await model()
  const reply = asked.reply(question([user('hello')]), hooks, open)
  await until(() => github.chats.length === 1)
  const [pid] = serversOf(github)
  process.kill(pid!, 'SIGSTOP')
  github.script = () => ({ text: 'from the new one' })
  clock.advance(120_001)
  await until(() => {
    clock.advance(5_001)
    return !serversOf(github).includes(pid!)
  })
  expect(await reply).toMatchObject({ kind: 'reply', content: 'from the new one' })
})

it('gives up a hanging model, and keeps the server for others', async () => {
  const { model, github, clock } = await openModel(never)
  const asked = await model()
  let isOver = false
  const reply = asked.reply(question([user('hello')]), hooks, open).finally(() => {
    isOver = true
  })
  await until(() => github.chats.length === 1)
  const [pid] = serversOf(github)
  for (const count of [1, 2, 3]) {
    await until(() => github.chats.length === count)
    clock.advance(120_001)
  }
  await until(() => isOver)
  expect(await reply).toMatchObject({
    code: 'timeout',
    message: 'copilot-ls:gpt-5 did not respond for 120 seconds. Tried 3 times.',
  })
  expect(serversOf(github)).toEqual([pid])
})

it('continues a session whose server is killed in the middle of a turn, and repeats no call', async () => {
  const world = await openWorld(
    (request) => {
      if (JSON.stringify(request.messages).includes('<tool_result')) return { text: 'read it' }
      if (resultCount(request) === 0) return { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] }
      for (const pid of serversOf(world.github)) process.kill(pid, 'SIGKILL')
      return never()
    },
    { ...reader, 'a.txt': 'the secret word' },
  )
  const runtime = await world.open()
  const report = await world.report(runtime, 'Read', 'reader')
  expect(report).toMatchObject({ status: 'completed', text: 'read it', calls: 1 })
  expect(report.usage.premium).toBe(2)
})

it('gets a new token when one expires in the middle of a turn', async () => {
  let github: FakeGitHub | undefined
  const world = await openWorld(
    (request) => {
      if (JSON.stringify(request.messages).includes('the secret word')) return { text: 'read it' }
      github?.expireTokens()
      return { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] }
    },
    { ...reader, 'a.txt': 'the secret word' },
  )
  const runtime = await world.open()
  github = world.github
  expect(await world.report(runtime, 'Read', 'reader')).toMatchObject({
    status: 'completed',
    text: 'read it',
  })
})

it('explains how to sign in if the token is rejected in the middle of a turn, and shows no token', async () => {
  const { model, github } = await openModel(() => ({ calls: [{ name: 'look' }] }))
  const asked = await model()
  const messages = [user('hello')]
  const first = await asked.reply(question(messages), hooks, open)
  github.expireTokens()
  github.refuseTokens = 401
  const reply = await asked.reply(question([...messages, ...after(first, 'seen')]), hooks, open)
  expect(reply).toMatchObject({
    kind: 'failed',
    code: 'backend',
    message: expect.stringContaining('cadre login'),
  })
  expect(JSON.stringify(reply)).not.toMatch(/ghu_|tid=/)
})

it.each([
  ['nobody is signed in', { GITHUB_COPILOT_TOKEN: '' }, undefined],
  ['the sign-in is refused', {}, 401],
  ['the plan has no Copilot', {}, 403],
])('explains how to sign in when %s', async (_, env, refuse) => {
  const { models, github } = await openModel(() => ({ text: 'x' }), env as { [name: string]: string })
  github.refuseTokens = refuse
  const found = await models.resolve('copilot-ls:gpt-5')
  expect(found).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('cadre login') })
})

it('suggests the nearest models for an unknown one, and supports modes', async () => {
  const { models } = await openModel(() => ({ text: 'x' }))
  expect(await models.resolve('copilot-ls:GPT-5')).toMatchObject({
    kind: 'found',
    model: { id: 'copilot-ls:gpt-5' },
  })
  expect(await models.resolve('copilot-ls:gpt-9')).toMatchObject({
    kind: 'unknown',
    nearest: expect.arrayContaining(['copilot-ls:gpt-5']),
  })
  expect(await models.resolve('copilot-ls:gpt-5@Aks')).toMatchObject({ kind: 'unknown' })
  expect(await modelOf(models, 'copilot-ls:gpt-5@ask')).toMatchObject({
    id: 'copilot-ls:gpt-5@Ask',
    window: 124_000,
    maxOutput: 16_000,
  })
})

it('reports that the configured server is missing', async () => {
  const { models } = await openModel(() => ({ text: 'x' }), { CADRE_COPILOT_SERVER: '/nowhere' })
  expect(await models.resolve('copilot-ls:gpt-5')).toMatchObject({
    reason: expect.stringMatching(/^\/nowhere is not a Copilot language server/),
    unreachable: true,
  })
})

it.each([
  [
    { status: 402, body: { error: { message: 'quota', code: 'quota_exceeded' } } },
    { code: 'backend', message: expect.stringContaining('quota') },
  ],
  [
    { status: 400, body: { error: { message: 'x', code: 'model_max_prompt_tokens_exceeded' } } },
    { tooLong: true },
  ],
  [
    { status: 400, body: { error: { message: 'x', code: 'model_not_supported' } } },
    { code: 'unknown_model' },
  ],
  [
    { text: 'half', finish: 'content_filter' as const },
    { kind: 'reply', content: 'half', stop: 'filtered' },
  ],
  [
    { text: 'half', finish: 'length' as const },
    { kind: 'reply', stop: 'length' },
  ],
  [{ text: '' }, { kind: 'reply', content: null, calls: [] }],
])('passes on the model’s failure: %j', async (said, expected) => {
  const { model } = await openModel(() => said)
  expect(await (await model()).reply(question([user('hello')]), hooks, open)).toMatchObject(expected)
})

it.each([
  ['a long description', [{ ...look, description: 'x'.repeat(20_000) }]],
  [
    'a schema of every kind',
    [
      {
        ...look,
        parameters: {
          properties: { a: true, b: { anyOf: [{ type: 'null' }, {}] }, c: { $ref: '#/x' } },
          required: 'a',
        },
      },
    ],
  ],
  [
    'names for the tools of editors',
    ['create_file', 'insert_edit_into_file', 'apply_patch', 'run_subagent', 'read file'].map((name) => ({
      ...look,
      name,
    })),
  ],
])('accepts %s', async (_, offers) => {
  const { model } = await openModel((request) => ({ text: String(request.tools?.length) }))
  const reply = await (await model()).reply(
    { ...question([user('hello')]), tools: offers as ToolOffer[] },
    hooks,
    open,
  )
  expect(reply).toMatchObject({ kind: 'reply', content: String(offers.length) })
})

it('reports that there are too many tools', async () => {
  const { model } = await openModel(() => ({ text: 'x' }))
  const offers = Array.from({ length: 129 }, (_, n) => ({ ...look, name: `look_${n}` }))
  const reply = await (await model()).reply({ ...question([user('hello')]), tools: offers }, hooks, open)
  expect(reply).toMatchObject({ kind: 'failed', message: expect.stringContaining('more than 128 tools') })
})

it('stops a model that only calls unknown tools', async () => {
  const { model, github } = await openModel(() => ({ calls: [{ name: 'never_heard_of' }] }))
  const reply = await (await model()).reply(question([user('hello')]), hooks, open)
  expect(reply).toMatchObject({ kind: 'failed', message: expect.stringContaining('does not have') })
  expect(github.chats.length).toBeLessThan(20)
})

it('passes on the server’s notices about limits, once', async () => {
  const { model, github } = await openModel(() => ({ text: 'x' }))
  const asked = await model()
  github.chatHeaders = { 'x-usage-ratelimit-session': 'ent=100&rem=20&rst=2030-01-01T00:00:00Z' }
  const notices: string[] = []
  const heard = {
    ...hooks,
    notice: (code: string, message: string) => void notices.push(`${code}: ${message}`),
  }
  await asked.reply(question([user('one')]), heard, open)
  await asked.reply(question([user('two')], 's2'), heard, open)
  await asked.reply(question([user('three')], 's3'), heard, open)
  expect(notices).toEqual([expect.stringMatching(/^copilot_rate_limit: .*80%.*session rate limit/)])
})
