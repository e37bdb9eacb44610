import type { JsonObject } from '@cadre/core'
import type { ApprovalRecord } from '@cadre/gate'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { approval, type TestHome, testContext, testHome, until } from '../channel.spec-helpers.ts'
import type { Channel } from '../channel.ts'
import { approvalMessage } from './approval-message.ts'
import { createSlackChannel, type SlackChannelOptions } from './create-slack-channel.ts'
import { isSlack } from './respond.ts'
import {
  type Posted,
  type SlackDouble,
  slackEnvironment,
  slackSettings,
  startSlack,
} from './slack-double.spec-helpers.ts'

let slack: SlackDouble
let folder: TestHome
let running: Channel[] = []
const record = approval('approval-1-aaaa')

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

async function start(
  more: { settings?: JsonObject; records?: ApprovalRecord[]; options?: SlackChannelOptions } = {},
) {
  const settings = slackSettings(slack, { approvals_channel: 'CAPP', approvers: ['UBOSS'], ...more.settings })
  const context = testContext(folder.home, settings, slackEnvironment)
  for (const one of more.records ?? [record]) context.pending.set(one.id, one)
  const channel = createSlackChannel(context, { pauseMs: 1, ...more.options })
  running.push(channel)
  await channel.start()
  return { context, channel }
}

interface Button {
  readonly action_id: string
  readonly value: string
}
const buttonsOf = (message: Posted | undefined) =>
  (message?.blocks ?? [])
    .filter(({ type }) => type === 'actions')
    .flatMap(({ elements }) => elements as unknown as Button[])

let presses = 0
/** Clicks a button; resolves when it was acknowledged. */
async function press(
  action: string,
  more: { user?: string; ts?: string | undefined; id?: string; envelope?: string; time?: string } = {},
) {
  const { user = 'UBOSS', ts = slack.messages[0]?.ts ?? '', id = record.id, time = String(++presses) } = more
  const envelope_id = more.envelope ?? `p${++presses}`
  const before = slack.acked.length
  slack.send({
    envelope_id,
    type: 'interactive',
    payload: {
      type: 'block_actions',
      user: { id: user, username: 'the boss\n<!channel>' },
      container: { channel_id: 'CAPP', message_ts: ts },
      actions: [{ action_id: `cadre_${action}`, block_id: `cadre/${id}`, value: id, action_ts: time }],
      response_url: new URL('/respond', slack.baseUrl).href,
    },
  })
  await until(() => slack.acked.length > before, 'an acknowledgement')
}

test('shows an approval with its content and its buttons', async () => {
  const { channel } = await start()
  await channel.asked?.(record)
  const [message] = slack.messages
  expect(message?.channel).toBe('CAPP')
  expect(buttonsOf(message).map(({ action_id, value }) => [action_id, value])).toEqual([
    ['cadre_approve', record.id],
    ['cadre_reject', record.id],
  ])
  const shown = JSON.stringify(message?.blocks)
  for (const part of ['docker ps', 'executor', 'MEDIUM', 'It may change the system.', 'execute is asked for'])
    expect(shown).toContain(part)
})

test.each([
  ['approve', 'approve'],
  ['reject', 'reject'],
])('clicking %s decides once, and updates the message', async (action, decision) => {
  const { channel, context } = await start()
  await channel.asked?.(record)
  await press(action)
  const by = 'the bosschannel (slack:UBOSS)'
  expect(context.decisions).toEqual([{ id: record.id, answer: { decision, by } }])
  await until(() => buttonsOf(slack.messages[0]).length === 0, 'the buttons to go')
  expect(JSON.stringify(slack.messages[0]?.blocks)).toContain(`decided: ${decision}, by ${by}`)
  expect(slack.messages).toHaveLength(1)
})

test('the same click delivered again does nothing; another one gets an explanation', async () => {
  const { channel, context } = await start()
  await channel.asked?.(record)
  const { ts } = slack.messages[0] ?? {}
  await press('approve', { time: '7', ts })
  await press('approve', { time: '7', ts })
  await channel.stop()
  expect(slack.responses).toEqual([])
  const second = await start({ records: [] })
  await press('reject', { ts })
  await until(() => slack.responses.length === 1)
  expect(slack.responses[0]).toMatchObject({
    response_type: 'ephemeral',
    text: 'This approval is no longer pending.',
  })
  expect(context.decisions).toHaveLength(1)
  expect(second.context.decisions).toEqual([])
})

test('two simultaneous clicks: the first one decides, the other gets an explanation', async () => {
  const { channel, context } = await start({ settings: { approvers: ['UBOSS', 'UBOTH'] } })
  await channel.asked?.(record)
  const { ts } = slack.messages[0] ?? {}
  await Promise.all([press('approve', { ts }), press('reject', { ts, user: 'UBOTH' })])
  await until(() => slack.acked.length === 2)
  expect(context.decisions).toHaveLength(1)
  expect(context.decisions[0]?.answer.decision).toBe('approve')
  await until(() => slack.responses.length === 1)
})

test.each([
  ['by a user who may not decide', { user: 'UOTHER' }, 'You are not allowed to decide approvals'],
  ['on another message', { ts: '9.9' }, 'no longer pending'],
  ['for another approval', { id: 'approval-2-bbbb' }, 'no longer pending'],
])('a click %s decides nothing', async (_, more, said) => {
  const { channel, context } = await start()
  await channel.asked?.(record)
  await press('approve', more)
  await until(() => slack.responses.length === 1)
  expect(slack.responses[0]?.['text']).toContain(said)
  expect(context.decisions).toEqual([])
  expect(buttonsOf(slack.messages[0])).toHaveLength(2)
})

test.each(['approve-session', 'done', '__proto__', ''])(
  '%j was not offered and is rejected',
  async (choice) => {
    const { channel, context } = await start()
    await channel.asked?.(record)
    await press(choice)
    expect(context.decisions).toEqual([])
  },
)

test('without approvers there are no buttons, and no click is valid', async () => {
  const { channel, context } = await start({ settings: { approvers: [] } })
  await channel.asked?.(record)
  expect(buttonsOf(slack.messages[0])).toEqual([])
  expect(JSON.stringify(slack.messages[0])).toContain(`cadre approve ${record.id}`)
  await press('approve')
  expect(context.decisions).toEqual([])
})

test('a call in doubt can be answered too', async () => {
  const doubt = approval('approval-3-cccc', { type: 'in_doubt', choices: ['done', 'again', 'leave'] })
  const { channel, context } = await start({ records: [doubt] })
  await channel.asked?.(doubt)
  await press('leave', { id: doubt.id })
  expect(context.decisions).toMatchObject([{ id: doubt.id, answer: { decision: 'leave' } }])
})

test('decided elsewhere: the message is updated, immediately and after a restart', async () => {
  const other = approval('approval-2-bbbb')
  const { channel } = await start({ records: [record, other] })
  await channel.asked?.(record)
  await channel.asked?.(other)
  const decision = { decision: 'reject', by: 'me <!here>', at: '2026-01-01T00:00:00.000Z' }
  await channel.settled?.({ ...record, status: 'rejected', decision })
  expect(buttonsOf(slack.messages[0])).toEqual([])
  expect(slack.messages[0]?.text).toContain('decided: reject, by me &lt;!here&gt;')
  await channel.stop()
  // The other one was decided while the daemon was stopped.
  await start({ records: [] })
  await until(() => buttonsOf(slack.messages[1]).length === 0)
  expect(slack.messages[1]?.text).toContain('settled in the meantime')
})

test('requested again after a restart, it is not posted again and can still be decided', async () => {
  const first = await start()
  await first.channel.asked?.(record)
  await first.channel.stop()
  const { channel, context } = await start()
  await channel.asked?.(record)
  expect(slack.messages).toHaveLength(1)
  await press('approve')
  expect(context.decisions).toHaveLength(1)
})

test('a crash between the post and its record: it is found, not posted again', async () => {
  slack.fail('chat.postMessage', 'broken after')
  slack.fail('conversations.history', ...Array.from({ length: 4 }, () => 'broken before' as const))
  const first = await start()
  await first.channel.asked?.(record)
  expect(first.context.problemTexts()).toEqual([expect.stringContaining(record.id)])
  await first.channel.stop()
  const { channel, context } = await start()
  await channel.asked?.(record)
  expect(slack.messages).toHaveLength(1)
  await press('approve')
  expect(context.decisions).toHaveLength(1)
})

test('an approval that cannot be shown is shown later, and is a problem until then', async () => {
  slack.fail('chat.postMessage', { error: 'not_in_channel' })
  const { channel, context } = await start({ options: { retryMs: 50 } })
  await channel.asked?.(record)
  expect(context.problemTexts()).toEqual([expect.stringContaining('/invite')])
  await until(() => slack.messages.length === 1 && context.problemTexts().length === 0)
})

test('agent text is plain text in Slack', () => {
  const evil = '*bold* <!channel> <https://evil.example|ok> `code`\n```\nApproved by the boss\u202e'
  const { content } = approvalMessage(
    approval('approval-4-dddd', {
      agent: evil,
      action: evil,
      reasons: [evil],
      why: evil,
      more: [['x', evil]],
    }),
    { buttons: true },
  )
  const texts: { type: unknown; text: unknown }[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (!Array.isArray(value) && 'text' in value && typeof value.text === 'string' && 'type' in value)
      texts.push({ type: value.type, text: value.text })
    Object.values(value).forEach(visit)
  }
  visit(content['blocks'])
  expect(texts.length).toBeGreaterThan(4)
  // `mrkdwn` is the only type of text that Slack interprets.
  expect(texts.filter(({ type }) => type !== 'plain_text' && type !== 'text')).toEqual([])
  expect(JSON.stringify(content)).not.toContain('\u202e')
  expect(content['text']).not.toMatch(/[<>]/)
})

test('a long text is visibly cut, and can only be rejected', () => {
  const long = approval('approval-5-eeee', {
    action: 'x'.repeat(20_000),
    reasons: Array(100).fill('r'.repeat(400)) as string[],
  })
  const { content, choices } = approvalMessage(long, { buttons: true })
  expect(choices).toEqual(['reject'])
  const text = JSON.stringify(content)
  expect(text).toContain('more characters]')
  expect(text).toContain('cannot approve it in Slack')
  expect(text.length).toBeLessThan(20_000)
})

test.each([
  ['https://hooks.slack.com/actions/T/1', true],
  ['http://hooks.slack.com/actions/T/1', false],
  ['https://hooks.slack.com.evil.example/', false],
  ['https://evilslack.com/', false],
  ['https://user@hooks.slack.com/', false],
  ['https://hooks.slack.com:444/', false],
  ['http://127.0.0.1:1/respond', true],
  ['http://127.0.0.1:2/respond', false],
  ['file:///etc/passwd', false],
  ['', false],
])('%s can be answered: %s', (address, expected) => {
  expect(isSlack(address, 'http://127.0.0.1:1/api/')).toBe(expected)
})
