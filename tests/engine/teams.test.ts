import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { CadreEvent, ModelRequest, Reply } from '@cadre/core'
import { call, say } from '@cadre/testing'
import { describe, expect, test } from 'vitest'
import { lastMessage, memberOf, receivedTeamMessages } from './team-messages.ts'
import { createTeamWorld } from './team-world.ts'

const agents = [{ name: 'lead' }, { name: 'worker' }, { name: 'tester' }]
const member = (name: string, agentType = 'worker', initialPrompt = `begin as ${name}`) => ({
  name,
  agentType,
  initialPrompt,
})
const create = (name: string, ...members: object[]) => call(['create_team', { name, members }])
const send = (to: string, text: string) => ['send_message', { to, text }] as const
/** The same line for every round. */
const always = (line: (request: ModelRequest) => Reply, rounds = 60) =>
  Array.from({ length: rounds }, () => line)

describe('a team', () => {
  test('works, writes to its lead, and is recorded', async () => {
    const world = createTeamWorld()
    const team = await world.open({
      agents,
      lanes: {
        lead: [
          create('review', member('alice'), member('bob', 'tester')),
          say('waiting'),
          ...always((request) => {
            if (lastMessage(request).includes('are idle')) return say(`done: ${request.messages.length > 0}`)
            return say('noted')
          }),
        ],
        worker: [call(send('lead', 'alice has begun')), say('alice is done')],
        tester: [say('bob is done')],
      },
    })
    const report = await team.report({ agent: 'lead' })
    expect(report).toMatchObject({ status: 'completed', text: 'done: true', sessions: 3, calls: 2 })
    const lead = await team.engine.read(report.session)
    expect(receivedTeamMessages(lead?.entries ?? [])).toEqual(['alice: alice has begun'])
    const told = lead?.entries.find((entry) => entry.role === 'user' && entry.content.includes('are idle'))
    expect(told).toMatchObject({ content: expect.stringContaining('alice is done') })
    expect(told).toMatchObject({ content: expect.stringContaining('name="bob" agent_type="tester"') })
    expect(world.config('review')).toMatchObject({
      name: 'review',
      leadAgentId: report.session,
      members: [
        { name: 'alice', agentType: 'worker' },
        { name: 'bob', agentType: 'tester' },
      ],
    })
    const [message] = world.lines('review', 'inboxes', 'lead.jsonl')
    expect(message).toMatchObject({ from: 'alice', to: 'lead', text: 'alice has begun' })
    expect(world.lines('review', 'inboxes', 'lead.receipts.jsonl')).toMatchObject([
      { id: message?.['id'], delivered_to: report.session },
    ])
  })

  test('two members of one agent are two sessions, which keep their conversations', async () => {
    const world = createTeamWorld()
    const team = await world.open({
      agents,
      lanes: {
        lead: [
          create('pair', member('alice'), member('bob')),
          call(send('alice', 'to alice'), send('bob', 'to bob')),
          ...always((request) => {
            const isLast = lastMessage(request).includes('are idle')
            return say(isLast ? 'end' : 'waiting')
          }),
        ],
        worker: always((request) => say(`${memberOf(request)} heard ${request.messages.length} messages`)),
      },
    })
    const report = await team.report({ agent: 'lead' })
    const mates = (await world.sessions()).filter(({ spec }) => spec.team !== undefined)
    expect(
      mates.map(({ spec, entries }) => [spec.team?.member, receivedTeamMessages(entries)]).sort(),
    ).toEqual([
      ['alice', ['lead: to alice']],
      ['bob', ['lead: to bob']],
    ])
    expect(report).toMatchObject({ status: 'completed', text: 'end', sessions: 3 })
  })

  test('wakes when its lead continues, even in another process', async () => {
    const world = createTeamWorld()
    const lanes = {
      lead: [
        create('duo', member('alice')),
        say('waiting'),
        say('first answer'),
        call(send('duo/alice', 'once more')),
        say('waiting'),
        ...always((request) => say(lastMessage(request).includes('once more') ? 'second answer' : 'no')),
      ],
      worker: [say('one'), call(send('lead', 'once more, done')), say('two')],
    }
    const first = await (await world.open({ agents, lanes })).report({ agent: 'lead' })
    expect(first.text).toBe('first answer')
    const again = await world.open({ agents, lanes })
    const result = await again.orchestrator.resume(
      first.session,
      { work: 'go on' },
      new AbortController().signal,
    )
    expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', sessions: 2 } })
    const [mate] = (await world.sessions()).filter(({ spec }) => spec.team !== undefined)
    expect(receivedTeamMessages(mate?.entries ?? [])).toEqual(['lead: once more'])
    expect(mate?.entries.filter((entry) => entry.role === 'assistant').map(({ content }) => content)).toEqual(
      ['one', null, 'two'],
    )
    const lead = await again.engine.read(first.session)
    expect(receivedTeamMessages(lead?.entries ?? [])).toEqual(['alice: once more, done'])
  })

  test('lets a person write to the lead while it works', async () => {
    const world = createTeamWorld()
    let letGo: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    let tell: () => Promise<boolean> = () => Promise.resolve(false)
    const team = await world.open({
      agents,
      lanes: {
        lead: [
          create('slow', member('alice')),
          say('waiting'),
          (request) => {
            expect(lastMessage(request)).toBe('how far are you?')
            letGo()
            return say('alice is at it')
          },
          say('end'),
        ],
        worker: [
          async () => {
            expect(await tell()).toBe(true)
            await held
            return say('alice is done')
          },
        ],
      },
    })
    tell = async () => {
      const [started] = team.events.filter(({ type }) => type === 'session.started')
      return team.orchestrator.tell(started?.session ?? '', { content: 'how far are you?' })
    }
    expect((await team.report({ agent: 'lead' })).text).toBe('end')
    team.models.verify()
  })

  test('two teams work at once, and a name in both must include the team', async () => {
    const world = createTeamWorld()
    const team = await world.open({
      agents,
      lanes: {
        lead: [
          call(
            ['create_team', { name: 'red', members: [member('alice')] }],
            ['create_team', { name: 'blue', members: [member('alice', 'tester')] }],
          ),
          call(send('alice', 'who?'), send('blue/alice', 'you')),
          ...always((request) => say(lastMessage(request).includes('are idle') ? 'end' : 'waiting')),
        ],
        worker: always(() => say('red')),
        tester: always(() => say('blue')),
      },
    })
    const report = await team.report({ agent: 'lead' })
    const lead = await team.engine.read(report.session)
    const results = lead?.entries.flatMap((entry) => (entry.role === 'tool_result' ? [entry.content] : []))
    expect(results?.[2]).toContain('Write to red/alice or blue/alice')
    const mates = (await world.sessions()).filter(({ spec }) => spec.team !== undefined)
    expect(mates.map(({ spec, entries }) => [spec.team?.name, receivedTeamMessages(entries)]).sort()).toEqual(
      [
        ['blue', ['lead: you']],
        ['red', []],
      ],
    )
  })

  test('may be led by a session that must report, which first receives its team’s messages', async () => {
    const world = createTeamWorld()
    const team = await world.open({
      agents: [...agents, { name: 'chief', delegates: { kind: 'list', names: ['worker'] } }],
      lanes: {
        lead: [
          call(['delegateWork', { agentName: 'chief', workDescription: 'x', reportExpectations: 'y' }]),
          say('end'),
        ],
        chief: [
          create('t', member('alice')),
          call(['reportOut', { report: 'too early' }]),
          say('waiting'),
          (request) => {
            expect(lastMessage(request)).toContain('alice is done')
            return call(['reportOut', { report: 'all of it' }])
          },
        ],
        worker: [say('alice is done')],
      },
    })
    const report = await team.report({ agent: 'lead' })
    const lead = await team.engine.read(report.session)
    const [result] = lead?.entries.flatMap((entry) => (entry.role === 'tool_result' ? [entry] : [])) ?? []
    expect(result).toMatchObject({ content: expect.stringContaining('all of it'), sessions: 2 })
    expect(report.sessions).toBe(3)
  })

  test('writes through the mailboxes while no process runs its lead', async () => {
    const world = createTeamWorld()
    const team = await world.open({
      agents,
      lanes: {
        lead: [create('far', member('alice')), ...always((request) => say(lastMessage(request)))],
        worker: [say('one'), call(send('lead', 'by mail')), say('two')],
      },
    })
    const report = await team.report({ agent: 'lead' })
    const [mate] = (await world.sessions()).filter(({ spec }) => spec.team !== undefined)
    const signal = new AbortController().signal
    await team.orchestrator.resume(mate?.spec.id ?? '', { work: 'from outside' }, signal)
    const [line] = readFileSync(world.home.at('mailboxes', 'lead.jsonl'), 'utf8').trim().split('\n')
    expect(JSON.parse(line ?? '')).toMatchObject({ to: 'lead', to_session: report.session, text: 'by mail' })
  })

  test('a member that a person cancelled stays stopped, and its lead is notified', async () => {
    const world = createTeamWorld()
    let cancel: () => void = () => {}
    const team = await world.open({
      agents,
      lanes: {
        lead: [
          create('t', member('alice')),
          say('waiting'),
          (request) => {
            expect(lastMessage(request)).toContain('worker was cancelled')
            return call(send('alice', 'too late'))
          },
          say('end'),
        ],
        worker: [
          () => {
            cancel()
            return 'hang'
          },
        ],
      },
    })
    cancel = () => {
      const isMate = (event: CadreEvent) => event.type === 'session.started' && event.agent === 'worker'
      team.orchestrator.cancel(team.events.find(isMate)?.session ?? '')
    }
    const report = await team.report({ agent: 'lead' })
    expect(report).toMatchObject({ status: 'completed', text: 'end' })
    expect(report.notices?.map(({ message }) => message)).toContain(
      '1 message to alice in team t could not be delivered',
    )
  })

  test('starts a member for a message that arrived while it ended, before its lead is notified', async () => {
    const world = createTeamWorld()
    let ends = 0
    const team = await world.open({
      agents,
      lanes: {
        lead: [create('t', member('alice')), say('waiting'), say('end')],
        worker: [say('done'), say('done with that, too')],
      },
      async onLifecycleEvent(moment, { agent }) {
        if (moment.kind !== 'session.ended' || agent.name !== 'worker' || ++ends > 1) return undefined
        appendFileSync(world.home.at('teams/t/inboxes/alice.jsonl'), '{"text":"one more thing"}\n')
        return undefined
      },
    })
    const report = await team.report({ agent: 'lead' })
    expect(report).toMatchObject({ status: 'completed', text: 'end' })
    expect(report.notices ?? []).toEqual([])
    const lead = await team.engine.read(report.session)
    const told = lead?.entries.filter((entry) => entry.role === 'user' && entry.content.includes('are idle'))
    expect(told).toMatchObject([{ content: expect.stringContaining('done with that, too') }])
  })

  test('frees its name when it is deleted', async () => {
    const world = createTeamWorld()
    const team = await world.open({
      agents,
      lanes: {
        lead: [
          create('brief', member('alice')),
          call(['delete_team', { name: 'brief' }]),
          create('brief', member('bob', 'tester')),
          say('waiting'),
          say('end'),
        ],
        worker: ['hang'],
        tester: [say('bob was here')],
      },
    })
    const report = await team.report({ agent: 'lead' })
    expect(report).toMatchObject({ status: 'completed', text: 'end', sessions: 3 })
    expect(world.config('brief').members).toMatchObject([{ name: 'bob' }])
    const mates = (await world.sessions()).filter(({ spec }) => spec.team !== undefined)
    expect(mates.map(({ spec, outcome }) => [spec.team?.member, outcome]).sort()).toEqual([
      ['alice', 'cancelled'],
      ['bob', 'completed'],
    ])
    expect(existsSync(world.home.at('teams', 'brief', 'inboxes', 'alice.jsonl'))).toBe(false)
  })
})
