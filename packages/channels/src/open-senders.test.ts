import { openOutbox } from '@cadre/home'
import { createTools } from '@cadre/tools'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestHome, testHome } from './channel.spec-helpers.ts'
import { openSenders } from './open-senders.ts'
import { slackEnvironment, slackSettings, startSlack } from './slack/slack-double.spec-helpers.ts'

let folder: TestHome
const signal = new AbortController().signal

beforeEach(() => {
  folder = testHome()
})
afterEach(() => folder[Symbol.dispose]())

function toolsOf(config: Parameters<typeof openSenders>[0], env = {}, mail = false) {
  const tools = createTools({
    home: folder.home.path,
    senders: { mail, load: () => openSenders(config, folder.home, env) },
  })
  const context = { session: 's', agent: 'a', call: 'c', key: 's/c', workspace: folder.home.path }
  const tool = (name: string) => {
    const found = tools.find((one) => one.name === name)
    if (found === undefined) throw new Error(`no tool ${name}`)
    return found
  }
  return {
    names: tools.map(({ name }) => name),
    effect: (name: string) => tool(name).effect,
    run: (name: string, input: object, key = 's/c') => tool(name).run(input, { ...context, key }, signal),
    check: (name: string, input: object, key = 's/c') =>
      tool(name).check?.(input, { ...context, key }, signal),
  }
}

test('without Slack, a message is recorded in the home, once, and reports that it was not sent', async () => {
  const tools = toolsOf({})
  const input = { channel: '#general', text: 'Redis is up.' }
  expect(tools.effect('slack_send')).toBe('outbound')
  expect(await tools.check('slack_send', input)).toBe('not_done')
  expect((await tools.run('slack_send', input)).content).toContain('Slack is not configured')
  await toolsOf({}).run('slack_send', input)
  expect(await tools.check('slack_send', input)).toBe('done')
  expect(folder.lines('inbox/slack-messages.jsonl')).toMatchObject([
    { direction: 'out', text: 'Redis is up.' },
  ])
  expect(folder.lines('outbox/slack.jsonl').filter(({ state }) => state === 'sent')).toHaveLength(1)
})

test('a crash while recording: it is recorded once', async () => {
  const input = { channel: '#general', text: 'Redis is up.' }
  void openOutbox(folder.home).send(
    { channel: 'slack', key: 's/c', inbox: 'slack-messages', message: input },
    () => new Promise(() => {}),
  )
  await expect.poll(() => openOutbox(folder.home).find('slack', 's/c')?.state).toBe('sending')
  const tools = toolsOf({})
  expect(await tools.check('slack_send', input)).toBe('not_done')
  await tools.run('slack_send', input)
  expect(folder.lines('inbox/slack-messages.jsonl')).toHaveLength(1)
})

test('with Slack, it is posted, and can be read back', async () => {
  await using slack = await startSlack()
  const tools = toolsOf({ channels: { slack: slackSettings(slack) } }, slackEnvironment)
  expect((await tools.run('slack_send', { channel: 'C1', text: 'one' }, 's/1')).content).toContain(
    'Posted to C1',
  )
  await tools.run('slack_send', { channel: 'C1', text: 'two' }, 's/2')
  expect(slack.messages.map(({ text }) => text)).toEqual(['one', 'two'])
  const { content } = await tools.run('slack_read', { limit: 1 })
  expect(JSON.parse(content)).toMatchObject({ direction: 'out', text: 'two' })
})

test('reports a configuration error, which does not affect other senders', async () => {
  const smtp = { host: '127.0.0.1', port: 9, secure: false, from: 'a@example.org' }
  const tools = toolsOf(
    { channels: { slack: { bot_token_env: 'NOT_SET' }, mail: { out: { smtp } } } },
    {},
    true,
  )
  expect(await tools.run('slack_send', { channel: 'C1', text: 'x' })).toMatchObject({
    failed: true,
    content: expect.stringContaining('channels.slack.bot_token_env'),
  })
  expect(await tools.check('slack_send', { channel: 'C1', text: 'x' })).toBe('unknown')
  expect(await tools.run('mail_send', { to: 'b@example.org', subject: 's', text: 't' })).toMatchObject({
    failed: true,
    content: expect.stringContaining('127.0.0.1'),
  })
})

test('there is no mail tool if mail cannot be sent', () => {
  expect(toolsOf({}).names).toContain('slack_read')
  expect(toolsOf({}).names).not.toContain('mail_send')
  expect(toolsOf({}, {}, true).names).toContain('mail_send')
  expect(createTools({ home: folder.home.path }).map(({ name }) => name)).not.toContain('slack_send')
})
