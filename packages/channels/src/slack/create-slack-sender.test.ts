import { openOutbox } from '@cadre/home'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestHome, testHome } from '../channel.spec-helpers.ts'
import { createSlackSender } from './create-slack-sender.ts'
import { postOnce } from './post-once.ts'
import { createSlackApi } from './slack-api.ts'
import { botToken, type SlackDouble, startSlack } from './slack-double.spec-helpers.ts'

let slack: SlackDouble
let folder: TestHome
const signal = new AbortController().signal
const message = { channel: 'C1', text: 'Redis is up.' }

beforeEach(async () => {
  slack = await startSlack()
  folder = testHome()
})
afterEach(async () => {
  await slack[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Simulates a new process, which knows only what is on disk. */
function open(more: { channels?: ReadonlySet<string>; timeoutMs?: number; baseUrl?: string } = {}) {
  const { channels, baseUrl = slack.baseUrl, timeoutMs = 10_000 } = more
  const api = createSlackApi({ baseUrl, token: botToken, pauseMs: 1, timeoutMs })
  const outbox = openOutbox(folder.home)
  return { outbox, sender: createSlackSender({ api, outbox, channels, pauseMs: 1 }) }
}
const sent = () => folder.lines('inbox/slack-messages.jsonl').filter((line) => line['direction'] === 'out')

test('posts a message once, and records it once in the inbox', async () => {
  expect(await open().sender.send(message, 's/c1', signal)).toEqual({
    kind: 'sent',
    text: expect.stringMatching(/^Posted to C1 \(ts \d+\.000100\)\.$/),
  })
  expect(await open().sender.send(message, 's/c1', signal)).toMatchObject({ kind: 'sent' })
  expect(slack.messages).toHaveLength(1)
  expect(sent()).toMatchObject([{ channel: 'C1', text: 'Redis is up.', direction: 'out' }])
  expect(await open().sender.check(message, 's/c1', signal)).toBe('done')
  expect(await open().sender.check(message, 's/other', signal)).toBe('not_done')
})

test.each([
  ['busy', [{ status: 429, headers: { 'retry-after': '0' } }, { error: 'ratelimited' }].slice(0, 1)],
  ['in trouble', [{ status: 503 }, { error: 'internal_error' }, { status: 500 }]],
  ['broken off', ['broken before' as const]],
  ['disconnected after it accepted the message', ['broken after' as const]],
])('it is posted once when Slack is %s', async (_, faults) => {
  slack.fail('chat.postMessage', ...faults)
  expect(await open().sender.send(message, 's/c1', signal)).toMatchObject({ kind: 'sent' })
  expect(slack.messages).toHaveLength(1)
  expect(sent()).toHaveLength(1)
})

test('endless errors are a failure that can be repeated, once per reason', async () => {
  slack.fail('chat.postMessage', ...Array.from({ length: 4 }, () => ({ status: 502 })))
  const { sender, outbox } = open()
  expect(await sender.send(message, 's/c1', signal)).toEqual({
    kind: 'failed',
    text: 'The message was not sent. Slack returned status 502.',
  })
  expect(outbox.find('slack', 's/c1')).toMatchObject({ state: 'failed' })
  expect(await sender.send(message, 's/c1', signal)).toMatchObject({ kind: 'sent' })
  expect(slack.messages).toHaveLength(1)
})

test('a wait that is too long is a failure with that reason', async () => {
  slack.fail('chat.postMessage', { status: 429, headers: { 'retry-after': '600' } })
  expect(await open().sender.send(message, 's/c1', signal)).toEqual({
    kind: 'failed',
    text: 'The message was not sent. Slack rate limit reached. Try again in 600 seconds.',
  })
})

test('a rejection by Slack is a failure that explains what to do', async () => {
  const end = await open().sender.send({ ...message, channel: 'CNONE' }, 's/c1', signal)
  expect(end).toMatchObject({
    kind: 'failed',
    text: expect.stringContaining('channel_not_found. Use the id'),
  })
  expect(sent()).toEqual([])
})

test.each([undefined, '1712345678.000200'])(
  'a crash after Slack accepted the message (thread %s): it is found, and not posted again',
  async (thread_ts) => {
    const inThread = { ...message, ...(thread_ts !== undefined && { thread_ts }) }
    const first = open()
    // The process dies while the post is in transit: nothing more is recorded.
    await new Promise<void>((posted) => {
      const request = { channel: 'slack', key: 's/c1', inbox: 'slack-messages', message: inThread }
      void first.outbox.send(request, async () => {
        const api = createSlackApi({ baseUrl: slack.baseUrl, token: botToken })
        await postOnce(api, { ...inThread, key: 's/c1', content: { text: inThread.text } }, signal)
        posted()
        return new Promise(() => {})
      })
    })
    // Others post meanwhile, so that the message is not on the first page.
    const others = open()
    for (const n of [1, 2, 3]) await others.sender.send(inThread, `s/other-${n}`, signal)
    const second = open()
    expect(second.outbox.find('slack', 's/c1')?.state).toBe('sending')
    expect(await second.sender.check(inThread, 's/c1', signal)).toBe('done')
    expect(await second.sender.send(inThread, 's/c1', signal)).toMatchObject({ kind: 'sent' })
    expect(slack.messages).toHaveLength(4)
    expect(sent()).toHaveLength(4)
  },
)

test('a crash before Slack accepted the message: it is missing, and posted', async () => {
  void open().outbox.send(
    { channel: 'slack', key: 's/c1', inbox: 'slack-messages', message },
    () => new Promise(() => {}),
  )
  await expect.poll(() => open().outbox.find('slack', 's/c1')?.state).toBe('sending')
  expect(await open().sender.check(message, 's/c1', signal)).toBe('not_done')
  expect(await open().sender.send(message, 's/c1', signal)).toMatchObject({ kind: 'sent' })
  expect(slack.messages).toHaveLength(1)
})

test('if the result is unknown, a person decides, and only then is it sent again', async () => {
  // Neither the post nor the query about it is answered.
  slack.fail('chat.postMessage', 'broken after')
  slack.fail('conversations.history', ...Array.from({ length: 4 }, () => 'broken before' as const))
  const end = await open().sender.send(message, 's/c1', signal)
  expect(end).toMatchObject({
    kind: 'failed',
    text: expect.stringContaining('not know whether Slack accepted'),
  })
  slack.fail('conversations.history', ...Array.from({ length: 4 }, () => ({ status: 500 })))
  expect(await open().sender.check(message, 's/c1', signal)).toBe('unknown')
  // Now the query is answered.
  expect(await open().sender.check(message, 's/c1', signal)).toBe('done')
  expect(slack.messages).toHaveLength(1)
})

test('if Slack lists only some of the messages since then, a person decides', async () => {
  slack.fail('chat.postMessage', 'broken before')
  slack.fail('conversations.history', 'without cursor')
  expect(await open().sender.send(message, 's/c1', signal)).toMatchObject({
    kind: 'failed',
    text: expect.stringContaining('not know whether Slack accepted'),
  })
  expect(slack.messages).toEqual([])
})

test('a channel by name cannot be searched, so a person is asked', async () => {
  slack.fail('chat.postMessage', 'broken after')
  const named = { ...message, channel: '#general' }
  expect(await open().sender.send(named, 's/c1', signal)).toMatchObject({ kind: 'failed' })
  expect(await open().sender.check(named, 's/c1', signal)).toBe('unknown')
  // The person chose to send it again.
  expect(await open().sender.send(named, 's/c1', signal)).toMatchObject({ kind: 'sent' })
})

test('posts only to listed channels', async () => {
  const { sender } = open({ channels: new Set(['C2']) })
  expect(await sender.send(message, 's/c1', signal)).toMatchObject({
    kind: 'failed',
    text: expect.stringContaining('channels.slack.channels'),
  })
  expect(slack.messages).toEqual([])
})

test('text notifies only the person it names, and hides no address', async () => {
  const text = 'a < b && c > d <!channel> <!here|x> <https://evil.example|bank> <@U123> <#C123> <@evil|x>'
  await open().sender.send({ ...message, text }, 's/c1', signal)
  expect(slack.messages[0]?.text).toBe(
    'a &lt; b &amp;&amp; c &gt; d &lt;!channel&gt; &lt;!here|x&gt; &lt;https://evil.example|bank&gt; <@U123> <#C123> &lt;@evil|x&gt;',
  )
})

test('no token is in any message or file, whatever fails', async () => {
  slack.fail('chat.postMessage', { error: `bad_${botToken} token` }, { status: 403 })
  const texts = [
    await open().sender.send(message, 's/1', signal),
    await open().sender.send(message, 's/2', signal),
    await open({ baseUrl: 'http://127.0.0.1:9/' }).sender.send(message, 's/3', signal),
  ]
  expect(texts.map(({ kind }) => kind)).toEqual(['failed', 'failed', 'failed'])
  expect(JSON.stringify([texts, folder.lines('outbox/slack.jsonl')])).not.toContain('xoxb')
})
