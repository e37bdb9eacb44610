import { mkdirSync, writeFileSync } from 'node:fs'
import { defineTool, object, type Rule, type Tool } from '@cadre/core'
import { openPeople } from '@cadre/home'
import { openTaskFiles } from '@cadre/tasks'
import { call, say } from '@cadre/testing'
import { expect, it } from 'vitest'
import { sessionText, until } from '../../daemon/daemon.spec-helpers.ts'
import { createInboxDuty } from '../../inbox/create-inbox-duty.ts'
import { createTaskDuty } from '../../tasks/task-duty.ts'
import { peopleOf } from '../guard/people.ts'
import { send } from '../page.spec-helpers.ts'
import { startTestServer } from './routes.spec-helpers.ts'

const deploy = defineTool({
  name: 'deploy',
  description: 'Deploys',
  class: 'execute',
  effect: 'execute',
  input: object({}),
  run: async () => ({ content: 'deployed' }),
}) as unknown as Tool
const asks = {
  by: 'policy',
  name: 'ask',
  judge: () => ({ kind: 'ask', by: 'policy', rule: 'ask', reason: 'it deploys' }),
} as unknown as Rule

/** A home in which the people who influenced a run may not approve its calls. Bob operates and approves; Carol approves. */
async function openHomeOfThree(lane: 'deploys' | 'answers first') {
  const deploys = [call(['deploy', {}]), say('it is out')]
  const server = await startTestServer({
    people: peopleOf,
    duties(context) {
      const tasks = openTaskFiles({ folder: context.home.at('tasks') })
      return [createTaskDuty(context, { tasks }), createInboxDuty(context, { tasks })]
    },
    tools: [deploy],
    rules: [asks],
    requireApprovals: ({ verdict }) => ({
      ...verdict,
      firm: true,
      approvals: { quorum: 1, roles: ['approver'], notByStarter: true },
    }),
    lanes: { worker: lane === 'answers first' ? [say('ready'), ...deploys] : deploys },
    prepare(home) {
      mkdirSync(home.at('inbox'), { recursive: true })
      writeFileSync(home.at('inbox', 'routes.yaml'), 'routes:\n  - from: slack-messages\n    to: worker\n')
    },
  })
  const people = openPeople(server.home)
  const bob = await people.add({ name: 'bob', roles: ['operator', 'approver'], slack: 'U2' })
  const carol = await people.add({ name: 'carol', roles: ['approver'], slack: 'U3' })
  const as = (token: string | undefined) => (target: string, body: object) =>
    send(server.address, target, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body })
  const pending = () =>
    until(async () => {
      const { items } = (await server.ask('/api/approvals')).json<{
        items: { id: string; action: string; session: string }[]
      }>()
      return items[0]
    })
  /** Bob's vote must not count, and Carol's must. */
  const expectOthers = async () => {
    const { id, action, session } = await pending()
    const vote = { decision: 'approve', action }
    const refused = await as(bob.token)(`/api/approvals/${id}/decision`, vote)
    expect(refused.json()).toMatchObject({
      title: expect.stringContaining('bob started or influenced this run'),
    })
    expect(refused.status).toBe(403)
    const counted = await as(carol.token)(`/api/approvals/${id}/decision`, vote)
    expect(counted.json()).toMatchObject({ decided: true, by: 'carol' })
    return session
  }
  return { ...server, bob: as(bob.token), expectOthers }
}

it('does not count the vote of a person who sent a message to the session', async () => {
  const { client, home, bob, expectOthers } = await openHomeOfThree('answers first')
  const { id } = await client.startSession({ body: { work: 'Get ready.', agent: 'worker' } })
  await until(() => /^status: completed/m.test(sessionText(home, id)))
  expect((await bob(`/api/sessions/${id}/messages`, { text: 'Deploy it.' })).status).toBe(202)
  expect(await expectOthers()).toBe(id)
  expect(sessionText(home, id)).toMatch(/^ {4}by: \["?bob"?\]$/m)
})

it('does not count the vote of a person who created or changed the task', async () => {
  const { home, bob, expectOthers } = await openHomeOfThree('deploys')
  expect((await bob('/api/tasks', { title: 'Deploy it', agent: 'worker' })).status).toBe(201)
  expect(sessionText(home, await expectOthers())).toMatch(/^ {2}started_by: bob$/m)
})

it('does not count the vote of a person who added a line to an inbox, whatever the line says', async () => {
  const { home, bob, expectOthers } = await openHomeOfThree('deploys')
  const line = { text: 'Deploy it.', user: 'U3', starter: 'carol', id: 'x', by: 'carol' }
  expect((await bob('/api/inbox/slack-messages', { line })).status).toBe(202)
  expect(sessionText(home, await expectOthers())).toMatch(/^ {2}started_by: bob$/m)
})

it('does not count the vote of a person whose message was removed from the journal', async () => {
  const { client, home, daemon, bob, expectOthers } = await openHomeOfThree('answers first')
  const { id } = await client.startSession({ body: { work: 'Get ready.', agent: 'worker' } })
  await until(() => /^status: completed/m.test(sessionText(home, id)))
  await bob(`/api/sessions/${id}/messages`, { text: 'Deploy it.' })
  await until(() => sessionText(home, id).includes('person.asked'))
  await until(async () => (await daemon.engine().read(id))?.status === 'sleeping')
  const given = (await daemon.engine().read(id))?.entries.find((entry) => entry.role === 'user' && entry.by)
  // After the session is suspended, the run needs a moment to end.
  await until(async () => {
    const { etag } = await client.getJournal({ params: { id } })
    const rewind = { params: { id }, body: { seq: given?.seq ?? 0 }, ifMatch: etag }
    return client.rewindSession(rewind).catch((error) => {
      if ((error as { status?: number }).status !== 409) throw error
    })
  })
  expect(sessionText(home, id)).not.toContain('bob')
  await client.sendMessage({ params: { id }, body: { text: 'Deploy it.' } })
  expect(await expectOthers()).toBe(id)
})
