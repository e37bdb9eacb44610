import { call, createTestTeam, say } from '@cadre/testing'
import { expect, test } from 'vitest'

test('a lead delegates to two workers and answers', async () => {
  const team = createTestTeam({
    agents: [{ name: 'lead' }, { name: 'worker', useFor: 'work' }, { name: 'other' }],
    lanes: {
      lead: [
        call(
          ['delegateWork', { agentName: 'worker', workDescription: 'a', reportExpectations: 'b' }],
          ['delegateWork', { agentName: 'other', workDescription: 'a', reportExpectations: 'b' }],
        ),
        say('all done'),
      ],
      worker: [call(['reportOut', { report: 'worker report' }])],
      other: [say('hm'), call(['reportOut', { report: 'other report' }])],
    },
  })
  const report = await team.report({ agent: 'lead' })
  team.models.verify()
  expect(report).toMatchObject({ status: 'completed', text: 'all done', sessions: 3 })
  expect(team.models.requests.at(-1)?.messages.map((m) => m.content)).toMatchInlineSnapshot(`
    [
      "do it",
      null,
      "Report of worker:

    worker report",
      "Report of other:

    other report",
    ]
  `)
  expect(team.events.map((e) => `${e.session} ${e.type}`)).toMatchInlineSnapshot(`
    [
      "lead-1 session.started",
      "lead-1 round.started",
      "lead-1 reply.received",
      "lead-1 call.started",
      "lead-1 call.started",
      "worker-2 session.started",
      "other-3 session.started",
      "worker-2 round.started",
      "other-3 round.started",
      "other-3 text.added",
      "worker-2 reply.received",
      "other-3 reply.received",
      "other-3 message.added",
      "worker-2 call.started",
      "other-3 round.started",
      "worker-2 call.settled",
      "other-3 reply.received",
      "worker-2 session.ended",
      "other-3 call.started",
      "other-3 call.settled",
      "lead-1 call.settled",
      "other-3 session.ended",
      "lead-1 call.settled",
      "lead-1 round.started",
      "lead-1 text.added",
      "lead-1 reply.received",
      "lead-1 session.ended",
    ]
  `)
})

test('background', async () => {
  const team = createTestTeam({
    agents: [{ name: 'lead' }, { name: 'worker', useFor: 'work' }],
    lanes: {
      lead: [
        call(
          ['delegate_task', { description: 'x', subagent_type: 'worker', prompt: 'one' }],
          ['delegate_task', { description: 'x', subagent_type: 'worker', prompt: 'two' }],
        ),
        say('waiting'),
        say('all done'),
      ],
      worker: [(r) => say(`did ${r.messages[0]?.content}`)],
    },
  })
  const report = await team.report({ agent: 'lead' })
  team.models.verify()
  expect(report).toMatchObject({ status: 'completed', text: 'all done', sessions: 3 })
  expect(team.models.requests.at(-1)?.messages.map((m) => m.content)).toMatchInlineSnapshot(`
    [
      "do it",
      null,
      "Started worker (session worker-2). Its result follows when your turn ends.",
      "Started worker (session worker-3). Its result follows when your turn ends.",
      "waiting",
      "All delegated tasks of this round have ended.

    <subagent_result agent_type="worker" agent_id="worker-2" status="done">
    Report of worker:

    did one
    </subagent_result>

    <subagent_result agent_type="worker" agent_id="worker-3" status="done">
    Report of worker:

    did two
    </subagent_result>

    Delegate what is left to do, or give your answer.",
    ]
  `)
})
