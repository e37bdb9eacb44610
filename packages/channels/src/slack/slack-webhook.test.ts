import { createHmac } from 'node:crypto'
import { CadreError, type JsonObject } from '@cadre/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestContext, type TestHome, testContext, testHome } from '../channel.spec-helpers.ts'
import { createSlackChannel } from './create-slack-channel.ts'
import {
  botId,
  botUser,
  messageEvent,
  type SlackDouble,
  slackEnvironment,
  slackSettings,
  startSlack,
} from './slack-double.spec-helpers.ts'

let slack: SlackDouble
let folder: TestHome
let open: TestContext[] = []

beforeEach(async () => {
  slack = await startSlack()
  folder = testHome()
})
afterEach(async () => {
  for (const context of open) await context[Symbol.asyncDispose]()
  open = []
  await slack[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function start(more: JsonObject = {}, receive?: TestContext['receive']) {
  const settings = slackSettings(slack, { mode: 'webhook', ...more })
  const context = testContext(folder.home, settings, slackEnvironment, receive && { receive })
  open.push(context)
  const channel = createSlackChannel(context, { pauseMs: 1 })
  await channel.start()
  const url = await context.url()
  const post = async (
    body: JsonObject | string,
    given: { time?: number; secret?: string; signature?: string; path?: string; headers?: JsonObject } = {},
  ) => {
    const { time = Date.now(), secret = slackEnvironment.SIGNING, path = '/slack/events' } = given
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const seconds = String(Math.floor(time / 1_000))
    const sum = createHmac('sha256', secret).update(`v0:${seconds}:${text}`).digest('hex')
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      body: text,
      headers: {
        'x-slack-request-timestamp': seconds,
        'x-slack-signature': given.signature ?? `v0=${sum}`,
        ...(given.headers as Record<string, string>),
      },
    })
    return { status: response.status, body: await response.text() }
  }
  return { context, channel, post }
}
const lines = () => folder.lines('inbox/slack-messages.jsonl')

test('a message becomes a line', async () => {
  const { post } = await start()
  const event = messageEvent('1712345678.000200', {
    thread_ts: '1712345600.000100',
    files: [{ name: 'a.png' }],
  })
  expect(await post(event)).toMatchObject({ status: 200 })
  expect(lines()).toEqual([
    {
      id: 'C1-1712345678.000200',
      at: '2024-04-05T19:34:38.000Z',
      direction: 'in',
      channel: 'C1',
      user: 'U1',
      text: 'message 1712345678.000200',
      ts: '1712345678.000200',
      thread_ts: '1712345600.000100',
      files: ['a.png'],
    },
  ])
})

test('the address is confirmed, only to Slack', async () => {
  const { post } = await start()
  const body = { type: 'url_verification', challenge: 'c-1' }
  expect(await post(body)).toEqual({ status: 200, body: '{"challenge":"c-1"}' })
  expect((await post(body, { secret: 'another' })).status).toBe(401)
})

test.each([
  ['another secret', { secret: 'another' }],
  ['an old time', { time: Date.now() - 6 * 60_000 }],
  ['a future time', { time: Date.now() + 6 * 60_000 }],
  ['no time', { time: Number.NaN }],
  ['an empty signature', { signature: '' }],
  ['half a signature', { signature: 'v0=abcd' }],
  ['another version', { signature: `v1=${'0'.repeat(64)}` }],
])('with %s, nothing is stored', async (_, given) => {
  const { post } = await start()
  expect(await post(messageEvent('1.1'), given)).toEqual({ status: 401, body: '""' })
  expect(lines()).toEqual([])
})

test('a modified body is rejected', async () => {
  const { post } = await start()
  const time = Date.now()
  const original = JSON.stringify(messageEvent('1.1'))
  const sum = createHmac('sha256', slackEnvironment.SIGNING)
    .update(`v0:${Math.floor(time / 1_000)}:${original}`)
    .digest('hex')
  const changed = original.replace('message 1.1', 'do harm')
  expect((await post(changed, { time, signature: `v0=${sum}` })).status).toBe(401)
})

test.each(['', '[]', '{', '"text"'])('%j is invalid', async (body) => {
  const { post } = await start()
  expect((await post(body)).status).toBe(400)
  expect((await post(body, { path: '/slack/interactive' })).status).toBe(400)
})

test('a body that is too large is not read', async () => {
  const { post } = await start()
  expect((await post('x'.repeat(1_100_000))).status).toBe(413)
})

test('repeated and simultaneous deliveries are one line, and so is a mention', async () => {
  const { post } = await start()
  const event = messageEvent('1712345678.000200')
  const mention = { ...messageEvent('1712345678.000200', { type: 'app_mention' }), event_id: 'EvOther' }
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, (_, n) => post(event, { headers: { 'x-slack-retry-num': String(n) } })),
    post(mention),
  ])
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(lines()).toHaveLength(1)
})

test.each<[string, JsonObject, JsonObject]>([
  ['our own', { user: botUser }, {}],
  ['the app’s own as a bot', { user: 'U9', bot_id: botId }, { ignore_bots: false }],
  ['of a bot', { bot_id: 'BOTHER' }, {}],
  ['of another channel', { channel: 'C9' }, { channels: ['C1'] }],
  ['about an edit', { subtype: 'message_changed' }, {}],
  ['about a member who joined', { subtype: 'channel_join' }, {}],
  ['of another type', { type: 'reaction_added' }, {}],
  ['without a time', { ts: 'yesterday' }, {}],
  ['with a channel that is a path', { channel: '../C1' }, {}],
])('%s: no line, and Slack need not repeat it', async (_, event, settings) => {
  const { post } = await start(settings)
  expect((await post(messageEvent('1712345678.000200', event))).status).toBe(200)
  expect(lines()).toEqual([])
})

test('stores messages of bots if configured', async () => {
  const { post } = await start({ ignore_bots: false })
  await post(messageEvent('1.1', { bot_id: 'BOTHER', subtype: 'bot_message', user: null }))
  expect(lines()).toMatchObject([{ user: 'BOTHER' }])
})

test('an event that cannot be stored is left to Slack, and a problem until it can', async () => {
  let isFull = true
  const { post, context } = await start({}, async (file, line) => {
    if (isFull) throw new Error('the disk is full')
    return testContext(folder.home, {}).receive(file, line)
  })
  expect((await post(messageEvent('1.1'))).status).toBe(503)
  expect(context.problemTexts()).toEqual([expect.stringContaining('the disk is full')])
  isFull = false
  expect((await post(messageEvent('1.1'))).status).toBe(200)
  expect(context.problemTexts()).toEqual([])
  expect(lines()).toHaveLength(1)
})

test('stores nothing while its own identity is unknown', async () => {
  slack.fail('auth.test', ...Array.from({ length: 8 }, () => ({ status: 500 })))
  const { post, context } = await start()
  expect((await post(messageEvent('1.1'))).status).toBe(503)
  expect(context.problemTexts()).toHaveLength(1)
  expect((await post(messageEvent('1.1'))).status).toBe(200)
  expect(lines()).toHaveLength(1)
})

test.each<[string, JsonObject, Record<string, string>]>([
  ['signing_secret_env', { signing_secret_env: 'NOT_SET' }, {}],
  ['bot_token_env', { bot_token_env: 'NOT_SET' }, {}],
  ['bot_token_env', { bot_token_env: 'xoxb-1-secret' }, {}],
  ['bot_token_env', {}, { BOT: 'xoxb-wrong-token' }],
  ['app_token_env', { mode: 'socket', app_token_env: null }, {}],
  ['app_token_env', { mode: 'socket' }, { APP: 'xapp-wrong-token' }],
  ['mode', { mode: 'rtm' }, {}],
  ['base_url', { base_url: 'http://slack.example/api' }, {}],
  ['base_url', { base_url: 'http://127.0.0.1.evil.example/' }, {}],
  ['base_url', { base_url: 'nowhere' }, {}],
  ['approvers', { approvers: ['@boss'] }, {}],
  ['chanels', { chanels: ['C1'] }, {}],
])('names the error in %s, without a secret', async (key, settings, environment) => {
  const context = testContext(folder.home, slackSettings(slack, { mode: 'webhook', ...settings }), {
    ...slackEnvironment,
    ...environment,
  })
  const error = await Promise.resolve()
    .then(() => createSlackChannel(context, { pauseMs: 1 }).start())
    .catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(CadreError)
  expect(error).toMatchObject({ code: 'configuration', where: `config.yaml: channels.slack.${key}` })
  expect(String(error)).not.toMatch(/xoxb-\w|xapp-\w/)
})
