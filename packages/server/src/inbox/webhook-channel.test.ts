import { createHmac } from 'node:crypto'
import type { ChannelContext, PostHandler } from '@cadre/channels'
import { createWebhookChannel } from '@cadre/channels'
import type { JsonObject } from '@cadre/core'
import { appendInbox, type Home } from '@cadre/home'
import { say, scriptedModels } from '@cadre/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createProblems } from '../daemon/create-problems.ts'
import { template, temporaryHome } from '../daemon/daemon.spec-helpers.ts'
import {
  linesIn,
  messagesBySession,
  openTestDaemon,
  writeFileIn,
} from '../daemon/test-daemon.spec-helpers.ts'
import { type Http, startHttp } from '../http/start-http.ts'
import { createInboxDuty } from './create-inbox-duty.ts'

const secret = "It's a Secret to Everybody"
const environment = { HOOK_SECRET: secret, EMPTY: '' }
const now = 1_700_000_000_000
let home: Home
let http: Http | undefined
let stop: (() => Promise<void>) | undefined

beforeEach(() => {
  home = temporaryHome().home
})
afterEach(async () => {
  await stop?.()
  await http?.close()
  http = undefined
  stop = undefined
})

async function open(
  hooks: JsonObject,
  receive: ChannelContext['receive'] = (file, line) => appendInbox(home, file, line),
) {
  const posts = new Map<string, PostHandler>()
  const note = () => {}
  const problems = createProblems(note)
  const context: ChannelContext = {
    home,
    settings: { hooks },
    environment,
    receive,
    approvals: async () => [],
    decide: async () => 'unknown',
    voters: { ofSlack: (id) => ({ name: id, roles: [], via: 'slack' }) },
    onPost: (path, handle) => posts.set(path, handle),
    note,
    problems,
  }
  const channel = createWebhookChannel(context, { now: () => now })
  await channel.start()
  stop = () => channel.stop()
  http = await startHttp({ port: 0, posts })
  return {
    problems,
    async post(name: string, body: string, headers: Record<string, string> = {}) {
      const answer = await fetch(`${http?.address}/hooks/${name}`, { method: 'POST', body, headers })
      return { status: answer.status, body: (await answer.json()) as JsonObject }
    },
  }
}

const sum = (text: string, key = secret) => createHmac('sha256', key).update(text).digest('hex')
const github = { github: { scheme: 'github', secret_env: 'HOOK_SECRET' } }
const signed = (body: string, delivery = 'd-1', key = secret) => ({
  'x-hub-signature-256': `sha256=${sum(body, key)}`,
  'x-github-delivery': delivery,
  'x-github-event': 'issues',
  'content-type': 'application/json',
})

describe('a webhook of GitHub', () => {
  it('is on disk before it is acknowledged, and stored once if it is repeated', async () => {
    const { post } = await open(github)
    const body = '{"action":"opened"}'
    expect(await post('github', body, signed(body))).toEqual({
      status: 202,
      body: { taken: true, id: 'github-d-1' },
    })
    expect(await post('github', body, signed(body))).toEqual({
      status: 200,
      body: { known: true, id: 'github-d-1' },
    })
    expect(linesIn(home, 'inbox/github.jsonl')).toEqual([
      {
        id: 'github-d-1',
        at: '2023-11-14T22:13:20.000Z',
        hook: 'github',
        event: 'issues',
        body: { action: 'opened' },
        headers: {
          'content-type': 'application/json',
          'user-agent': 'node',
          'x-github-event': 'issues',
          'x-github-delivery': 'd-1',
        },
      },
    ])
    expect(JSON.stringify(linesIn(home, 'inbox/github.jsonl'))).not.toContain('sha256=')
  })

  it('accepts the example from GitHub’s documentation', async () => {
    const { post } = await open(github)
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    expect((await post('github', 'Hello, World!', { 'x-hub-signature-256': signature })).status).toBe(202)
    expect(linesIn(home, 'inbox/github.jsonl')).toMatchObject([{ body: 'Hello, World!' }])
  })

  it.each([
    ['no signature', {}],
    ['an empty one', { 'x-hub-signature-256': '' }],
    ['one of another secret', signed('{}', 'd', 'other')],
    ['one of another body', signed('{ }')],
    ['one that is cut', { 'x-hub-signature-256': `sha256=${sum('{}').slice(0, 62)}` }],
    ['one without its name', { 'x-hub-signature-256': sum('{}') }],
    ['the old kind', { 'x-hub-signature': `sha1=${createHmac('sha1', secret).update('{}').digest('hex')}` }],
  ])('with %s is refused', async (_, headers) => {
    const { post } = await open(github)
    expect((await post('github', '{}', headers)).status).toBe(401)
    expect(() => linesIn(home, 'inbox/github.jsonl')).toThrow()
  })

  it('has one line if the same delivery arrives twice at the same time', async () => {
    const { post } = await open(github)
    const answers = await Promise.all([1, 2, 3].map(() => post('github', '{}', signed('{}'))))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 202])
    expect(linesIn(home, 'inbox/github.jsonl')).toHaveLength(1)
  })

  it('is recognised after a restart', async () => {
    const first = await open(github)
    await first.post('github', '{}', signed('{}'))
    await stop?.()
    await http?.close()
    const second = await open(github)
    expect((await second.post('github', '{}', signed('{}'))).status).toBe(200)
  })

  it('is not acknowledged if it could not be written', async () => {
    const { post } = await open(github, () => Promise.reject(new Error('the disk is full')))
    expect((await post('github', '{}', signed('{}'))).status).toBe(500)
  })

  it('is stored as text if it is not valid JSON', async () => {
    const { post } = await open(github)
    const deep = '['.repeat(200_000)
    expect((await post('github', deep, signed(deep, 'a'))).status).toBe(202)
    const nested = deep + ']'.repeat(200_000)
    expect((await post('github', nested, signed(nested, 'b'))).status).toBe(202)
    const form = `payload=${encodeURIComponent('{"zen":"Keep it logically awesome."}')}`
    const headers = { ...signed(form, 'c'), 'content-type': 'application/x-www-form-urlencoded' }
    expect((await post('github', form, headers)).status).toBe(202)
    // The default content type of curl.
    expect(
      (
        await post('github', '{"a":1}', {
          ...headers,
          ...signed('{"a":1}', 'd'),
          'content-type': headers['content-type'],
        })
      ).status,
    ).toBe(202)
    expect(linesIn(home, 'inbox/github.jsonl').at(-1)).toMatchObject({ body: { a: 1 } })
    expect(linesIn(home, 'inbox/github.jsonl').at(-2)).toMatchObject({
      body: { zen: 'Keep it logically awesome.' },
    })
  })

  it('reaches the agent of its route', async () => {
    template(home, 'planner-001')
    writeFileIn(
      home,
      'inbox/routes.yaml',
      'routes:\n  - from: github\n    match: {event: issues}\n    to: planner-001\n    text: "Issue {body.issue.title}"\n',
    )
    const { post } = await open(github)
    const body = '{"issue":{"title":"It is broken {body}"}}'
    await post('github', body, signed(body))
    const life = await openTestDaemon({ home, models: scriptedModels({ 'planner-001': [say('seen')] }) })
    await createInboxDuty(life.context).start()
    await life.rest()
    const [[session, heard] = []] = await messagesBySession(life.engine)
    expect(session).toMatch(/^planner-001-\w+$/)
    expect(heard?.map(({ content }) => content.split('\n')[0])).toEqual(['Issue It is broken {body}'])
  })
})

describe('other schemes', () => {
  const slack = { slack: { scheme: 'slack', secret_env: 'HOOK_SECRET', to_file: 'slack-events' } }
  const ofSlack = (body: string, time = now / 1000) => ({
    'x-slack-request-timestamp': String(time),
    'x-slack-signature': `v0=${sum(`v0:${time}:${body}`)}`,
  })

  it('accept Slack signatures for five minutes', async () => {
    const { post } = await open(slack)
    const body = '{"event_id":"Ev1","event":{"type":"message"}}'
    expect((await post('slack', body, ofSlack(body))).status).toBe(202)
    // A retry by Slack, with another timestamp.
    expect((await post('slack', body, ofSlack(body, now / 1000 + 60))).status).toBe(200)
    for (const late of [-301, 301])
      expect((await post('slack', body, ofSlack(body, now / 1000 + late))).status).toBe(401)
    const moved = { ...ofSlack(body), 'x-slack-request-timestamp': String(now / 1000 + 1) }
    expect((await post('slack', body, moved)).status).toBe(401)
    expect(
      (await post('slack', body, { 'x-slack-signature': ofSlack(body)['x-slack-signature'] })).status,
    ).toBe(401)
    expect(linesIn(home, 'inbox/slack-events.jsonl')).toMatchObject([{ id: 'slack-Ev1', event: 'message' }])
  })

  it('answer Slack’s URL verification', async () => {
    const { post } = await open(slack)
    const body = '{"type":"url_verification","challenge":"3eZbrw1a"}'
    expect(await post('slack', body, ofSlack(body))).toEqual({ status: 200, body: { challenge: '3eZbrw1a' } })
    expect((await post('slack', body)).status).toBe(401)
  })

  it('accept a plain signature, with a timestamp if required', async () => {
    const { post } = await open({
      plain: { scheme: 'hmac-sha256', secret_env: 'HOOK_SECRET', header: 'X-Sum' },
      timed: {
        scheme: 'hmac-sha256',
        secret_env: 'HOOK_SECRET',
        timestamp_header: 'x-time',
        tolerance_seconds: 10,
      },
    })
    expect((await post('plain', 'a', { 'x-sum': sum('a') })).status).toBe(202)
    expect((await post('plain', 'a', { 'x-sum': `sha256=${sum('a')}` })).status).toBe(200)
    expect(
      (await post('plain', 'b', { 'x-sum': Buffer.from(sum('b'), 'hex').toString('base64') })).status,
    ).toBe(202)
    const time = String(now / 1000 - 5)
    expect((await post('timed', 'a', { 'x-time': time, 'x-signature-256': sum(`${time}.a`) })).status).toBe(
      202,
    )
    expect((await post('timed', 'a', { 'x-time': time, 'x-signature-256': sum('a') })).status).toBe(401)
    const old = String(now / 1000 - 11)
    expect((await post('timed', 'a', { 'x-time': old, 'x-signature-256': sum(`${old}.a`) })).status).toBe(401)
  })

  it('accept a token', async () => {
    const { post } = await open({ token: { scheme: 'token', secret_env: 'HOOK_SECRET', header: 'x-token' } })
    expect((await post('token', 'a', { 'x-token': secret })).status).toBe(202)
    expect((await post('token', 'a', { 'x-token': secret, 'idempotency-key': 'k' })).status).toBe(202)
    expect((await post('token', 'a', { 'x-token': secret, 'idempotency-key': 'k' })).status).toBe(200)
    expect((await post('token', 'a', { 'x-token': `${secret}x` })).status).toBe(401)
    expect((await post('token', 'a')).status).toBe(401)
  })
})

describe('the settings', () => {
  it('require a secret', async () => {
    const { post, problems } = await open({
      unset: { scheme: 'github', secret_env: 'NOT_THERE' },
      empty: { scheme: 'token', secret_env: 'EMPTY' },
    })
    expect((await post('unset', '{}', signed('{}', 'd', ''))).status).toBe(503)
    expect((await post('empty', '{}', { authorization: 'Bearer ' })).status).toBe(503)
    expect((await post('unknown', '{}')).status).toBe(404)
    expect(problems.list()).toMatchObject([
      { message: expect.stringContaining('NOT_THERE') },
      { code: 'no-secret' },
    ])
  })

  it.each([
    [{ a: { scheme: 'sha1', secret_env: 'X' } }, 'channels.webhook.hooks.a.scheme'],
    [{ a: { scheme: 'github' } }, 'channels.webhook.hooks.a.secret_env'],
    [{ a: { scheme: 'github', secret: 'abc' } }, 'environment variable'],
    [{ a: { scheme: 'github', secret_env: 'X', to_flie: 'b' } }, 'Did you mean to_file'],
    [{ a: { scheme: 'github', secret_env: 'X', to_file: '../b' } }, 'hooks.a.to_file'],
    [{ '../a': { scheme: 'github', secret_env: 'X' } }, 'letters'],
    [{ a: { scheme: 'github', secret_env: 'X', tolerance_seconds: 5 } }, 'timestamp_header'],
    [{ a: 'github' }, 'hooks.a'],
  ])('%j are refused, with the key', async (hooks, message) => {
    await expect(open(hooks as JsonObject)).rejects.toThrow(message)
  })
})
