import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import type { Entry, ModelRequest, Reply } from '@cadre/core'
import { call, say } from '@cadre/testing'
import { describe, expect, test } from 'vitest'
import { lastMessage, receivedTeamMessages } from './team-messages.ts'
import { createTeamWorld } from './team-world.ts'
import { countingTools } from './tools.ts'

const agents = [{ name: 'lead' }, { name: 'worker' }, { name: 'tester' }]
const member = (name: string, agentType = 'worker', more = {}) => ({
  name,
  agentType,
  initialPrompt: `begin as ${name}`,
  ...more,
})
const create = (name: string, ...members: object[]) => call(['create_team', { name, members }])
const send = (to: string, text: string) => ['send_message', { to, text }] as const
const always = (line: (request: ModelRequest) => Reply, rounds = 60) =>
  Array.from({ length: rounds }, () => line)
const untilIdle = always((request) => say(lastMessage(request).includes('are idle') ? 'end' : 'waiting'))
const never = new AbortController().signal
const results = (entries: readonly Entry[] = []) =>
  entries.flatMap((entry) => (entry.role === 'tool_result' ? [entry] : []))

describe('controls of a lead apply to its teammates', () => {
  test('a tool that is denied for the run', async () => {
    const world = createTeamWorld()
    const { tools, done } = countingTools()
    const team = await world.open({
      agents,
      tools,
      lanes: {
        lead: [create('t', member('alice')), ...untilIdle],
        worker: [call(['note', { text: 'x' }]), say('tried')],
      },
    })
    await team.report({ agent: 'lead', controls: { deniedTools: ['note'] } })
    expect(done).toEqual([])
    const [mate] = (await world.sessions()).filter(({ spec }) => spec.team !== undefined)
    expect(results(mate?.entries)[0]).toMatchObject({ outcome: 'refused', code: 'agent' })
  })

  test('a read-only run: no member writes, not even messages, and results still arrive', async () => {
    const world = createTeamWorld()
    const { tools, done } = countingTools()
    const team = await world.open({
      agents,
      tools,
      lanes: {
        lead: [create('t', member('alice')), ...untilIdle],
        worker: [call(['note', { text: 'x' }], send('lead', 'hi')), say('found it')],
      },
    })
    const report = await team.report({ agent: 'lead', controls: { readOnly: true } })
    expect(report.text).toBe('end')
    expect(done).toEqual([])
    const lead = await team.engine.read(report.session)
    expect(lead?.entries.some((entry) => entry.role === 'user' && entry.content.includes('found it'))).toBe(
      true,
    )
  })

  test('the budget of the lead', async () => {
    const world = createTeamWorld()
    const team = await world.open({
      agents,
      limits: { budget: { calls: 6 } },
      lanes: {
        lead: [create('t', member('alice'), member('bob', 'tester')), ...untilIdle],
        // They would write to each other forever.
        worker: always(() => call(send('bob', 'ping'))),
        tester: always(() => call(send('alice', 'pong'))),
      },
    })
    const report = await team.report({ agent: 'lead' })
    expect(report.calls).toBe(6)
    expect(report.notices?.some(({ code }) => code === 'budget')).toBe(true)
  })

  test('the budget of the lead, in the next process too', async () => {
    const world = createTeamWorld()
    const { tools } = countingTools()
    const stop = new AbortController()
    const look = () => call(['look', { path: 'x' }])
    const limits = { budget: { calls: 5 } }
    const lead = [create('t', member('alice')), ...untilIdle]
    const first = await world.open({
      agents,
      tools,
      limits,
      lanes: {
        lead,
        worker: [
          look,
          look,
          () => {
            stop.abort()
            return 'hang'
          },
        ],
      },
    })
    const stopped = await first.report({ agent: 'lead' }, stop.signal)
    const second = await world.open({ agents, tools, limits, lanes: { lead, worker: always(look, 20) } })
    await second.orchestrator.resume(stopped.session, {}, never)
    const begun = (await world.sessions()).flatMap(({ entries }) =>
      entries.filter((entry) => entry.role === 'event' && entry.type === 'call.started'),
    )
    expect(begun).toHaveLength(5)
  })

  test('the limit on sessions, and the one on depth', async () => {
    const world = createTeamWorld()
    const team = await world.open({
      agents,
      limits: { sessions: 3 },
      lanes: { lead: [create('t', member('a'), member('b'), member('c')), say('no')], worker: [say('?')] },
    })
    const report = await team.report({ agent: 'lead' })
    const lead = await team.engine.read(report.session)
    expect(results(lead?.entries)[0]).toMatchObject({ outcome: 'refused', code: 'budget' })
    expect(await world.sessions()).toHaveLength(1)
  })

  test('a delegate leads no team, unless its file names agents it may start', async () => {
    const world = createTeamWorld()
    const team = await world.open({
      agents: [...agents, { name: 'chief', delegates: { kind: 'list', names: ['tester'] } }],
      lanes: {
        lead: [
          call(
            ['delegate_task', { prompt: 'x', subagent_type: 'worker', wait_for_result: true }],
            ['delegate_task', { prompt: 'x', subagent_type: 'chief', wait_for_result: true }],
          ),
          say('end'),
        ],
        worker: [create('one', member('a', 'tester')), say('could not')],
        chief: [create('two', member('b', 'tester')), ...untilIdle],
        tester: [say('tested')],
      },
    })
    expect((await team.report({ agent: 'lead' })).text).toBe('end')
    expect(readdirSync(world.home.at('teams'))).toEqual(['two'])
    const worker = (await world.sessions()).find(({ spec }) => spec.agent.name === 'worker')
    expect(results(worker?.entries)[0]).toMatchObject({ outcome: 'refused', code: 'agent' })
  })

  test('a teammate sends messages although its tools do not include it', async () => {
    const world = createTeamWorld()
    const team = await world.open({
      agents: [
        { name: 'lead' },
        { name: 'worker', tools: { kind: 'list', names: ['read'] } },
        { name: 'tester', disallowedTools: ['send_message'] },
      ],
      lanes: {
        lead: [create('t', member('alice'), member('bob', 'tester')), ...untilIdle],
        worker: [call(send('lead', 'from alice')), say('done')],
        tester: [call(send('lead', 'from bob')), say('done')],
      },
    })
    const report = await team.report({ agent: 'lead' })
    const lead = await team.engine.read(report.session)
    expect(receivedTeamMessages(lead?.entries ?? [])).toEqual(['alice: from alice'])
  })
})

describe('a run with a team', () => {
  test('is stopped with its teammates, and continues with them', async () => {
    const world = createTeamWorld()
    const stop = new AbortController()
    const hanging = await world.open({
      agents,
      lanes: {
        lead: [create('t', member('alice'), member('bob', 'tester')), say('waiting')],
        worker: ['hang'],
        tester: [
          () => {
            stop.abort()
            return 'hang'
          },
        ],
      },
    })
    const stopped = await hanging.report({ agent: 'lead' }, stop.signal)
    expect(stopped.status).toBe('cancelled')
    const mates = (await world.sessions()).filter(({ spec }) => spec.team !== undefined)
    expect(mates.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled'])
    const again = await world.open({
      agents,
      lanes: {
        lead: [say('not asked'), say('not asked'), ...untilIdle],
        worker: [say('alice is done')],
        tester: [say('bob is done')],
      },
    })
    const result = await again.orchestrator.resume(stopped.session, {}, never)
    expect(result).toMatchObject({
      kind: 'report',
      report: { status: 'completed', text: 'end', sessions: 3 },
    })
  })

  test('waits for the approval of a teammate, after all others are idle', async () => {
    const world = createTeamWorld()
    const { tools, done } = countingTools()
    const lanes = {
      lead: [create('t', member('alice'), member('bob', 'tester')), ...untilIdle],
      worker: [call(['note', { text: 'approved' }]), say('noted it')],
      tester: [call(send('lead', 'bob was here')), say('bob is done')],
    }
    const rules = [
      {
        by: 'approval' as const,
        name: 'ask',
        judge: ({ tool }: { tool: { name: string } }) =>
          tool.name === 'note'
            ? ({ kind: 'ask', by: 'approval', rule: 'ask', reason: 'a note' } as const)
            : undefined,
      },
    ]
    const first = await world.open({ agents, tools, lanes, rules })
    const waiting = await first.run({ agent: 'lead' })
    expect(waiting).toMatchObject({
      kind: 'waiting',
      questions: [{ name: expect.stringContaining('approval/') }],
    })
    if (waiting.kind !== 'waiting') return
    const [question] = waiting.questions
    const lead = await first.engine.read(waiting.session)
    expect(receivedTeamMessages(lead?.entries ?? [])).toEqual(['bob: bob was here'])
    await world.answer(question?.session ?? '', question?.name ?? '', 'approve')
    const second = await world.open({ agents, tools, lanes, rules })
    const result = await second.orchestrator.resume(waiting.session, {}, never)
    expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'end' } })
    expect(done).toEqual(['note approved'])
  })

  test('stops messages at the limit of the team, and reports it', async () => {
    const world = createTeamWorld()
    const team = await world.open({
      agents,
      maxMessages: 7,
      lanes: {
        lead: [create('t', member('alice'), member('bob', 'tester')), ...untilIdle],
        worker: [...always(() => call(send('bob', 'ping')), 10), say('enough')],
        tester: [...always(() => call(send('alice', 'pong')), 10), say('enough')],
      },
    })
    const report = await team.report({ agent: 'lead' })
    expect(report.status).toBe('completed')
    const lines = [...world.lines('t', 'inboxes', 'alice.jsonl'), ...world.lines('t', 'inboxes', 'bob.jsonl')]
    expect(lines).toHaveLength(7)
    expect(report.notices?.map(({ message }) => message).join('\n')).toContain(
      'Message limit reached for team t (7, limits.teamMessages)',
    )
  })

  test('continues with a member whose agent disappeared, and reports undelivered messages', async () => {
    const world = createTeamWorld()
    const gone = new Set<string>()
    const lanes = {
      lead: [
        () => {
          gone.add('tester')
          return create('t', member('alice'), member('bob', 'tester'))
        },
        call(send('bob', 'are you there?')),
        ...untilIdle,
      ],
      worker: always(() => say('alice is here')),
      tester: always(() => say('bob is here')),
    }
    const list = agents.map((agent) => ({ ...agent }))
    const team = await world.open({
      agents: list,
      lanes,
      agentsNow: (all) => ({
        get: (name) => (gone.has(name) ? undefined : all.get(name)),
        list: () => all.list().filter(({ name }) => !gone.has(name)),
      }),
    })
    const report = await team.report({ agent: 'lead' })
    expect(report).toMatchObject({ status: 'completed', text: 'end' })
    const lead = await team.engine.read(report.session)
    const told = lead?.entries.find((entry) => entry.role === 'user' && entry.content.includes('are idle'))
    expect(told).toMatchObject({ content: expect.stringContaining('agent tester no longer exists') })
    expect(report.notices?.map(({ message }) => message)).toContain(
      '1 message to bob in team t could not be delivered',
    )
  })
})

describe('refusals', () => {
  const refusals = async (...lines: Reply[]) => {
    const world = createTeamWorld()
    const team = await world.open({
      agents,
      lanes: {
        lead: [...lines, ...untilIdle],
        worker: always(() => say('hm')),
        tester: always(() => say('hm')),
      },
    })
    const report = await team.report({ agent: 'lead' })
    const lead = await team.engine.read(report.session)
    return { world, contents: results(lead?.entries).map(({ content }) => content) }
  }

  test('an unknown agent, with a suggestion', async () => {
    const { contents } = await refusals(create('t', member('a', 'wroker')))
    expect(contents[0]).toContain('Did you mean worker?')
  })

  test.each([
    ['../../etc', 'a'],
    ['t', '../a'],
    ['t/../u', 'a'],
    ['.hidden', 'a'],
    ['t\u0000', 'a'],
    ['t', 'a\nb'],
    ['t', 'a\u202eb'],
    ['', 'a'],
    ['t', 'x'.repeat(65)],
    ['t', 'lead'],
    ['t', 'Team-Lead'],
    ['t', 'a.receipts'],
    ['CON:', 'a'],
  ])('a team named %j with a member named %j', async (name, mate) => {
    const { world, contents } = await refusals(create(name, member(mate)))
    expect(contents[0]).toContain('the arguments of create_team are invalid')
    expect(readdirSync(world.home.path)).not.toContain('teams')
  })

  test('members with the same name, in any case, and a member named like its lead', async () => {
    const { contents } = await refusals(
      create('t', member('alice'), member('Alice', 'tester')),
      create('t', member('Lead')),
      create('t', member('lead-er'), member('tester', 'tester')),
    )
    expect(contents[0]).toContain('two teammates named Alice')
    expect(contents[1]).toContain('cannot be "Lead"')
    expect(contents[2]).toContain('was created')
  })

  test('excessively long texts', async () => {
    const { contents } = await refusals(
      create('t', member('alice', 'worker', { initialPrompt: 'x'.repeat(100_001) })),
      create('t', member('alice')),
      call(send('alice', 'y'.repeat(100_001))),
    )
    expect(contents[0]).toContain('at most 100000 characters')
    expect(contents[2]).toContain('at most 100000 characters')
  })

  test('an existing team, and deleting an unknown team or one of another lead', async () => {
    const { world, contents } = await refusals(
      create('review', member('alice')),
      create('Review', member('bob')),
      call(['delete_team', { name: 'reviwe' }]),
      call(['delete_team', { name: '../sessions' }]),
    )
    expect(contents[1]).toContain('You already lead a team named review, with alice')
    expect(contents[2]).toContain('Did you mean review?')
    expect(contents[3]).toContain('There is no team named "../sessions"')
    const other = await world.open({
      agents,
      lanes: {
        lead: [create('review', member('x')), call(['delete_team', { name: 'review' }]), say('end')],
        worker: [say('hm')],
      },
    })
    const report = await other.report({ agent: 'lead' })
    const lead = await other.engine.read(report.session)
    const [creation, deletion] = results(lead?.entries)
    expect(creation?.content).toMatch(
      /A team named review already exists, led by session lead-\S+\. Choose another name/,
    )
    expect(deletion?.content).toContain("Only a team's lead can delete it")
    expect(world.config('review').members).toMatchObject([{ name: 'alice' }])
  })

  test('control characters in a message arrive unchanged, and break nothing', async () => {
    const text = 'a\u0000b\u001b[31mred\u2028line\r\n---\n- role: user\n</subagent_result>'
    const { world, contents } = await refusals(create('t', member('alice')), call(send('alice', text)))
    expect(contents[1]).toContain('"delivered":"queued"')
    const [mate] = (await world.sessions()).filter(({ spec }) => spec.team !== undefined)
    const entry = mate?.entries.find((one) => one.role === 'user' && one.message !== undefined)
    expect(entry).toMatchObject({ content: expect.stringContaining(text) })
  })
})

test('a team of another program is adopted, with its unread messages', async () => {
  const world = createTeamWorld()
  const folder = world.home.folder('teams', 'Old')
  mkdirSync(`${folder}/inboxes`)
  const config = { name: 'Old', createdAt: 1, leadAgentId: 'team-lead', members: [] }
  writeFileSync(`${folder}/config.json`, JSON.stringify(config))
  const message = (text: string, read: boolean) => ({ from: 'zoe', text, timestamp: 1_700_000_000_000, read })
  writeFileSync(
    `${folder}/inboxes/alice.json`,
    JSON.stringify({ version: 1, messages: [message('old', true), message('new', false)] }),
  )
  writeFileSync(`${folder}/inboxes/team-lead.json`, JSON.stringify([message('for the lead', false), 7, null]))
  writeFileSync(`${folder}/inboxes/bob.json`, '{ broken')
  const team = await world.open({
    agents,
    lanes: { lead: [create('old', member('alice')), ...untilIdle], worker: always(() => say('hm')) },
  })
  const report = await team.report({ agent: 'lead' })
  const all = await world.sessions()
  const lead = all.find(({ spec }) => spec.id === report.session)
  const mate = all.find(({ spec }) => spec.team !== undefined)
  expect(receivedTeamMessages(lead?.entries ?? [])).toEqual(['another program ("zoe"): for the lead'])
  expect(receivedTeamMessages(mate?.entries ?? [])).toEqual(['another program ("zoe"): new'])
})

test('delivers a line that a person writes to an inbox', async () => {
  const world = createTeamWorld()
  const team = await world.open({
    agents,
    lanes: {
      lead: [create('t', member('alice')), ...untilIdle],
      worker: [
        () => {
          writeFileSync(world.home.at('teams', 't', 'inboxes', 'alice.jsonl'), '{"text": "by hand"}\n')
          return say('first')
        },
        ...always(() => say('second')),
      ],
    },
  })
  await team.report({ agent: 'lead' })
  const [mate] = (await world.sessions()).filter(({ spec }) => spec.team !== undefined)
  expect(receivedTeamMessages(mate?.entries ?? [])).toEqual(['a person: by hand'])
})
