/** Two people vote towards one quorum: one clicks a button in Slack, the other uses the page. The daemon may be killed between both. */
import { createHmac } from 'node:crypto'
import { createClient } from '@cadre/api'
import { currentUser } from '@cadre/disk'
import { expect, onTestFinished, test } from 'vitest'
import {
  botToken,
  type SlackDouble,
  startSlack,
} from '../../packages/channels/src/slack/slack-double.spec-helpers.ts'
import { agentFile, createProject, type Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { share } from '../support/amount.ts'
import { startDaemon } from './machine.ts'

const secret = 'signing-secret-of-the-test'
const env = { SLACK_BOT: botToken, SLACK_SIGNING: secret }
const effect = 'deployed.txt'

function createTeam(slack: SlackDouble): Project {
  return createProject({
    ...agentFile('lead'),
    '.cadre/deploy.mjs': `import { appendFileSync } from 'node:fs'
export const deploy = { name: 'deploy', description: 'x', class: 'execute', effect: 'execute',
  input: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }, parameters: { type: 'object' },
  run: async () => { appendFileSync('${effect}', 'x'); return { content: 'it is live' } } }`,
    '.cadre/config.yaml': {
      tools: ['deploy.mjs'],
      channels: {
        slack: {
          mode: 'webhook',
          base_url: slack.baseUrl,
          bot_token_env: 'SLACK_BOT',
          signing_secret_env: 'SLACK_SIGNING',
          approvals_channel: 'CAPP',
          approvers: ['U2'],
        },
      },
    },
    '.cadre/storage/policy.yaml': { approvals: { quorum: 2, roles: ['approver'] } },
    'playbook.yaml': {
      lanes: { lead: [{ calls: [{ tool: 'deploy', input: {} }] }, { reply: 'It is out.' }] },
    },
    '.cadre/sessions/run.session.yaml':
      'agent_id: lead\nmessages:\n  - role: user\n    content: Deploy it.\n',
  })
}

/** Signs in as the page does: with a login that the system user writes to the home. */
async function openPage(project: Project) {
  const { stdout } = await project.cadre(['open', '--json', '--no-browser'])
  const { url, address } = JSON.parse(stdout) as { url: string; address: string }
  const response = await fetch(`${address}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret: new URL(url).hash.slice('#key='.length) }),
  })
  const cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const { key } = (await response.json()) as { key: string }
  const client = createClient({
    address,
    key,
    fetch: (target, init) => fetch(target, { ...init, headers: { ...(init?.headers as object), cookie } }),
  })
  return { client, address }
}

/** Slack's request for a click on the approval's button. Slack repeats a request that was not answered in time. */
async function click(address: string, slack: SlackDouble, id: string, signedWith = secret): Promise<number> {
  const payload = {
    type: 'block_actions',
    user: { id: 'U2', username: 'ann' },
    container: { channel_id: 'CAPP', message_ts: slack.messages[0]?.ts },
    actions: [{ action_id: 'cadre_approve', block_id: `cadre/${id}`, value: id, action_ts: '1.2' }],
    response_url: new URL('/respond', slack.baseUrl).href,
  }
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  const time = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', signedWith).update(`v0:${time}:${body}`).digest('hex')
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': time,
    'x-slack-signature': `v0=${signature}`,
  }
  return (await fetch(`${address}/slack/interactive`, { method: 'POST', headers, body })).status
}

const ways: [string, boolean][] = [
  [', and the daemon is killed between both', true],
  ['', false],
]

test.each(share(ways, 2))(
  'a vote in Slack and one on the page count once each%s',
  { timeout: 180_000 },
  async (_, isKilled) => {
    const slack = await startSlack()
    onTestFinished(() => slack[Symbol.asyncDispose]())
    const project = createTeam(slack)
    for (const person of [
      ['ann', '--system', currentUser()],
      ['bob', '--slack', 'U2'],
    ])
      expect(await project.cadre(['people', 'add', '--role', 'approver', ...person])).toMatchObject({
        code: 0,
      })
    const daemon = await startDaemon(project, [], env)
    await until(() => slack.messages.length === 1)
    let { client, address } = await openPage(project)
    const [asked] = (await client.listApprovals()).items
    if (asked === undefined) throw new Error('nothing is pending')
    const { id, action } = asked
    const votes = async () =>
      (await client.getApproval({ params: { id } })).votes?.map(({ by, via }) => `${by} ${via}`)

    expect(await click(address, slack, id, 'another secret')).toBe(401)
    expect(await votes()).toEqual([])
    for (const _time of ['first', 'again']) expect(await click(address, slack, id)).toBe(200)
    expect(await votes()).toEqual(['bob slack'])
    if (isKilled) {
      daemon.signal('SIGKILL')
      await daemon.ended()
      await startDaemon(project, [], env)
      ;({ client, address } = await openPage(project))
      expect(await click(address, slack, id)).toBe(200)
      expect(await votes()).toEqual(['bob slack'])
    }
    expect(project.exists(effect)).toBe(false)
    const decided = await client.decide({ params: { id }, body: { decision: 'approve', action } })
    expect(decided).toMatchObject({ decided: true, by: 'bob, ann' })
    expect(await votes()).toEqual(['bob slack', 'ann page'])
    await until(() => /^status: completed/m.test(project.read('.cadre/sessions/run.session.yaml')))
    expect(project.read(effect)).toBe('x')
    const journal = project.read('.cadre/sessions/run.session.yaml')
    expect(journal.match(/type: person\.voted/g)).toHaveLength(2)
    expect(journal.match(/type: person\.answered/g)).toHaveLength(1)
    // The message in Slack shows the decision.
    await until(() => slack.messages[0]?.text.includes('bob, ann') === true)
  },
)
