import type { JsonObject } from '@cadre/core'
import { appendInbox } from '@cadre/home'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestContext, type TestHome, testContext, testHome, until } from '../channel.spec-helpers.ts'
import type { Channel } from '../channel.ts'
import { createSlackChannel, type SlackChannelOptions } from './create-slack-channel.ts'
import {
  messageEvent,
  type SlackDouble,
  slackEnvironment,
  slackSettings,
  startSlack,
} from './slack-double.spec-helpers.ts'

let slack: SlackDouble
let folder: TestHome
let running: Channel[] = []

beforeEach(async () => {
  slack = await startSlack()
  folder = testHome()
})
afterEach(async () => {
  for (const channel of running) await channel.stop()
  running = []
  await slack[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

async function start(more: { receive?: TestContext['receive']; options?: SlackChannelOptions } = {}) {
  const context = testContext(
    folder.home,
    slackSettings(slack),
    slackEnvironment,
    more.receive && { receive: more.receive },
  )
  const channel = createSlackChannel(context, { pauseMs: 1, ...more.options })
  running.push(channel)
  await channel.start()
  return { context, channel }
}
const lines = () => folder.lines('inbox/slack-messages.jsonl')
const envelope = (id: string, payload: JsonObject) => ({ envelope_id: id, type: 'events_api', payload })

test('messages become lines, in order, and are acknowledged', async () => {
  await start()
  for (const n of [1, 2, 3]) slack.send(envelope(`e${n}`, messageEvent(`${n}.1`)))
  await until(() => slack.acked.length === 3)
  expect(slack.acked).toEqual(['e1', 'e2', 'e3'])
  expect(lines().map(({ id }) => id)).toEqual(['C1-1.1', 'C1-2.1', 'C1-3.1'])
})

test('an envelope is acknowledged when its line is on disk, not earlier', async () => {
  let atAck: number | undefined
  slack.onAck = () => {
    atAck = lines().length
  }
  await start()
  slack.send(envelope('e1', messageEvent('1.1')))
  await until(() => slack.acked.length === 1)
  expect(atAck).toBe(1)
})

test('if the connection breaks before the acknowledgement, the event arrives again, as one line', async () => {
  let deliveries = 0
  const { context } = await start({
    async receive(file, line) {
      const answer = await appendInbox(folder.home, file, line)
      // On disk, but not acknowledged.
      if (++deliveries === 1) slack.drop()
      return answer
    },
  })
  slack.send(envelope('e1', messageEvent('1.1')))
  await until(() => slack.calls.filter(({ method }) => method === 'apps.connections.open').length > 1)
  await until(() => slack.connections() === 1 && context.problemTexts().length === 0)
  expect(slack.acked).toEqual([])
  slack.send(envelope('e2', messageEvent('1.1')))
  await until(() => slack.acked.length === 1)
  expect(slack.acked).toEqual(['e2'])
  expect(deliveries).toBe(2)
  expect(lines()).toHaveLength(1)
})

test('an event that cannot be stored is not acknowledged', async () => {
  let isFull = true
  await start({
    async receive(file, line) {
      if (isFull) throw new Error('the disk is full')
      return appendInbox(folder.home, file, line)
    },
  })
  slack.send(envelope('e1', messageEvent('1.1')))
  slack.send({ envelope_id: 'other', type: 'slash_commands', payload: {} })
  await until(() => slack.acked.length === 1)
  expect(slack.acked).toEqual(['other'])
  isFull = false
  slack.send(envelope('e2', messageEvent('1.1')))
  await until(() => slack.acked.includes('e2'))
})

test('if Slack requests a new connection, one is opened, and nothing is lost', async () => {
  const { context } = await start()
  slack.send({ type: 'disconnect', reason: 'refresh_requested' })
  await until(() => slack.calls.filter(({ method }) => method === 'apps.connections.open').length === 2)
  await until(() => slack.connections() === 1)
  slack.send(envelope('e1', messageEvent('1.1')))
  await until(() => slack.acked.includes('e1'))
  expect(context.problemTexts()).toEqual([])
})

test('a disabled socket mode is a problem that explains what to do', async () => {
  const { context } = await start({ options: { pauseMs: 60_000 } })
  slack.send({ type: 'disconnect', reason: 'link_disabled' })
  await until(() => context.problemTexts().some((text) => text.includes('Enable it')))
})

test('a silent connection is closed', async () => {
  await start({ options: { pingMs: 20 } })
  slack.freeze()
  await until(() => slack.calls.filter(({ method }) => method === 'apps.connections.open').length > 2)
})

test('connects later if Slack is unavailable at first', async () => {
  slack.fail('apps.connections.open', ...Array.from({ length: 5 }, () => 'broken before' as const))
  const { context } = await start()
  expect(context.problemTexts()).toEqual([expect.stringContaining('Cannot reach Slack')])
  await until(() => slack.connections() === 1 && context.problemTexts().length === 0)
})

test.each([
  '',
  'no json',
  '[]',
  '{"type":1}',
  '{"envelope_id":"e0"}',
  '{"envelope_id":"e0","type":"events_api","payload":7}',
])('%j does not affect what follows', async (text) => {
  await start()
  slack.sendRaw(text)
  slack.send(envelope('e1', messageEvent('1.1')))
  await until(() => slack.acked.includes('e1'))
  expect(lines()).toHaveLength(1)
})

test('after stopping there is no connection, and none is opened', async () => {
  const { channel } = await start()
  slack.send(envelope('e1', messageEvent('1.1')))
  await channel.stop()
  await until(() => slack.connections() === 0)
  const opened = slack.calls.length
  await new Promise((resolve) => setImmediate(resolve))
  expect(slack.calls).toHaveLength(opened)
  // Either it was stored and acknowledged, or Slack sends it again.
  if (slack.acked.length > 0) expect(lines()).toHaveLength(1)
})
