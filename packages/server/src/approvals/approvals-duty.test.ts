import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Channel } from '@cadre/channels'
import { defineTool, object, type Rule, type Tool } from '@cadre/core'
import { currentUser } from '@cadre/disk'
import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import {
  holdTool,
  sessionText,
  template,
  temporaryHome,
  testDaemon,
  until,
} from '../daemon/daemon.spec-helpers.ts'
import type { SessionKeeper } from '../session-keeper.ts'
import { createApprovalsDuty } from './approvals-duty.ts'

const form = 'approvals.task.md'
const voter = { name: 'ann', roles: [], via: 'page' } as const

/** A tool that needs approval. */
function askingTool() {
  const done: string[] = []
  const tool = defineTool({
    name: 'deploy',
    description: 'Deploys',
    class: 'execute',
    effect: 'execute',
    input: object({}),
    async run(_input, { key }) {
      done.push(key)
      return { content: 'deployed' }
    },
  }) as unknown as Tool
  const rule: Rule = {
    by: 'policy',
    name: 'ask',
    judge: ({ tool: { name } }: { tool: Tool }) =>
      name === 'deploy'
        ? { kind: 'ask', by: 'policy', rule: 'ask', reason: 'it deploys' }
        : { kind: 'allow', by: 'policy', rule: 'rest' },
  } as unknown as Rule
  return { tool, rule, done }
}

test('records a decision in a file and resumes the session; passes a rejection to the agent', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  const { tool, rule, done } = askingTool()
  let sessions: SessionKeeper | undefined
  const daemon = testDaemon(home, workspace, {
    tools: [tool],
    rules: [rule],
    lanes: { worker: [call(['deploy', {}]), say('it is out')] },
    duties: (context) => {
      sessions = context.sessions
      return [starter(sessions.start, ['w-1', 'w-2'])]
    },
  })
  await daemon.start()
  await until(() => daemon.status().approvals.length === 2)
  expect(done).toEqual([])
  expect(daemon.status().sessions.waiting.toSorted()).toEqual(['w-1', 'w-2'])
  // A session that waits for a person receives messages, and keeps waiting.
  expect(await sessions?.tell('w-1', { content: 'take your time', message: 'm/1' })).toBe('queued')
  await until(() => sessionText(home, 'w-1').includes('content: take your time'))
  await until(() => daemon.status().sessions.running.length === 0)
  expect(await sessions?.state('w-1')).toEqual({ kind: 'waiting' })
  expect(done).toEqual([])
  const file = home.at('tasks', form)
  const decide = (session: string, marker: string) => {
    const text = readFileSync(file, 'utf8')
    const parts = text.split(/(?=^- \[)/m)
    const changed = parts.map((part) =>
      part.includes(`session: ${session}\n`) ? part.replace('- [_]', `- [${marker}]`) : part,
    )
    writeFileSync(file, changed.join(''))
  }
  decide('w-1', 'x')
  await until(() => sessionText(home, 'w-1').includes('it is out'))
  expect(done).toHaveLength(1)
  decide('w-2', '-')
  await until(() => sessionText(home, 'w-2').includes('it is out'))
  expect(sessionText(home, 'w-2')).toContain('outcome: refused')
  expect(done).toHaveLength(1)
  await until(() => daemon.status().approvals.length === 0)
  const said = daemon.happenings.filter(({ type }) => type === 'approval.decided').map(({ status }) => status)
  expect(said.toSorted()).toEqual(['approved', 'rejected'])
})

test('a decision made while the rest of the tree is running applies when the tree stops', async () => {
  const { home, workspace } = temporaryHome()
  for (const name of ['lead', 'worker', 'slow']) template(home, name)
  const { tool, rule, done } = askingTool()
  const hold = holdTool()
  const delegate = (agentName: string) =>
    ['delegateWork', { agentName, workDescription: 'w', reportExpectations: 'r' }] as const
  const report = call(['reportOut', { report: 'fine' }])
  const daemon = testDaemon(home, workspace, {
    tools: [tool, hold.tool],
    rules: [rule],
    lanes: {
      lead: [call(delegate('worker'), delegate('slow')), say('all of it is done')],
      worker: [call(['deploy', {}]), report],
      slow: [call(['hold', {}]), report],
    },
    duties: (context) => [starter(context.sessions.start, ['lead-1'], 'lead')],
  })
  await daemon.start()
  const file = home.at('tasks', form)
  await until(() => hold.waiting() === 1 && existsSync(file) && readFileSync(file, 'utf8').includes('- [_]'))
  writeFileSync(file, readFileSync(file, 'utf8').replace('- [_]', '- [x]'))
  hold.letGo()
  await until(() => sessionText(home, 'lead-1').includes('all of it is done'))
  expect(done).toHaveLength(1)
})

test('resumes sessions whose approvals were decided while no daemon was running, and notifies channels', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  const { tool, rule, done } = askingTool()
  const options = {
    tools: [tool],
    rules: [rule],
    lanes: { worker: [call(['deploy', {}]), say('it is out')] },
  }
  const first = testDaemon(home, workspace, { ...options, duties: (c) => [starter(c.sessions.start, ['w'])] })
  await first.start()
  await until(() => first.status().approvals.length === 1)
  await first.stop()
  const heard: string[] = []
  const channel: Channel = {
    name: 'test',
    start: async () => {},
    stop: async () => {},
    asked: async ({ session }) => void heard.push(`asked ${session}`),
    settled: async ({ session, status }) => void heard.push(`${status} ${session}`),
  }
  let duty: ReturnType<typeof createApprovalsDuty> | undefined
  const second = testDaemon(home, workspace, {
    ...options,
    duties: (context) => {
      duty = createApprovalsDuty(context, { approvals: second.approvals(), channels: () => [channel] })
      duty.asks(['w'])
      return [{ ...duty, name: 'channel approvals' }]
    },
  })
  await second.start()
  await until(() => heard.length === 1)
  expect(heard).toEqual(['asked w'])
  const [record] = duty?.open() ?? []
  expect(await duty?.decide('approval-0-none', { decision: 'approve' }, voter)).toBe('unknown')
  expect(await duty?.decide(record?.id ?? '', { decision: 'approve', by: 'ann' }, voter)).toMatchObject({
    kind: 'recorded',
  })
  await until(() => sessionText(home, 'w').includes('it is out'))
  await until(() => heard.length === 2)
  expect(heard).toEqual(['asked w', 'approved w'])
  expect(done).toHaveLength(1)
})

test('counts votes in a file and from a channel towards one quorum, and resumes the session once', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  writeFileSync(
    `${home.folder('storage')}/people.yaml`,
    `people:\n  - { name: ann, roles: [approver], system: "${currentUser()}" }\n  - { name: bob, roles: [approver], slack: U2 }\n`,
    { mode: 0o600 },
  )
  const { tool, rule, done } = askingTool()
  const settled: string[] = []
  const channel: Channel = {
    name: 'test',
    start: async () => {},
    stop: async () => {},
    settled: async ({ status, decision }) => void settled.push(`${status} by ${decision?.by}`),
  }
  let duty: ReturnType<typeof createApprovalsDuty> | undefined
  const daemon = testDaemon(home, workspace, {
    tools: [tool],
    rules: [rule],
    requireApprovals: ({ verdict }) => ({
      ...verdict,
      firm: true,
      approvals: { quorum: 2, roles: ['approver'], notByStarter: false },
    }),
    lanes: { worker: [call(['deploy', {}]), say('it is out')] },
    duties: (context) => {
      duty = createApprovalsDuty(context, { approvals: daemon.approvals(), channels: () => [channel] })
      return [starter(context.sessions.start, ['w']), { ...duty, name: 'channel approvals' }]
    },
  })
  await daemon.start()
  await until(() => daemon.status().approvals.length === 1)
  const file = home.at('tasks', form)
  writeFileSync(file, readFileSync(file, 'utf8').replace('- [_]', '- [x]'))
  await until(() => readFileSync(file, 'utf8').includes('votes: 1 of 2: ann'))
  expect(await daemon.engine().read('w')).toMatchObject({ status: 'sleeping' })
  duty?.asks(['w'])
  await duty?.start()
  const [record] = duty?.open() ?? []
  const bob = duty?.voters.ofSlack('U2')
  expect(bob).toEqual({ name: 'bob', roles: ['approver'], via: 'slack' })
  const stranger = duty?.voters.ofSlack('U9')
  await expect(duty?.decide(record?.id ?? '', { decision: 'approve' }, stranger ?? voter)).rejects.toThrow(
    'slack:U9 has no role in this home',
  )
  expect(await duty?.decide(record?.id ?? '', { decision: 'approve' }, bob ?? voter)).toMatchObject({
    kind: 'recorded',
    answer: { by: 'ann, bob' },
  })
  await until(() => sessionText(home, 'w').includes('it is out'))
  expect(done).toHaveLength(1)
  const voted = sessionText(home, 'w').match(/type: person\.voted/g)
  expect(voted).toHaveLength(2)
  await until(() => daemon.happenings.some(({ type }) => type === 'approval.decided'))
})

/** A duty that starts sessions in `start`, as the task duty does. */
function starter(
  start: (request: { id: string; agent: string; work: { content: string } }) => Promise<void>,
  ids: string[],
  agent = 'worker',
) {
  return {
    name: 'starter',
    folders: [],
    async start() {
      for (const id of ids) await start({ id, agent, work: { content: 'go' } })
    },
    changed: async () => {},
  }
}
