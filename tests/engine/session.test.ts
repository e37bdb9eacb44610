import {
  agentRounds,
  applyToView,
  type CadreEvent,
  emptyView,
  eventsOf,
  type Message,
  type View,
} from '@cadre/core'
import { call, createFakeClock, createMemoryEngine, createTestTeam, say } from '@cadre/testing'
import { describe, expect, test } from 'vitest'
import { countingTools } from './tools.ts'

const work = (agentName: string) =>
  ['delegateWork', { agentName, workDescription: 'w', reportExpectations: 'r' }] as const
const never = new AbortController().signal

describe('what the model receives', () => {
  test('a long result is cut, states where the rest is, and is complete in the journal', async () => {
    const { tools } = countingTools()
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      tools,
      lanes: { solo: [call(['look', { path: 'a', size: 500_000 }]), say('ok')] },
    })
    const report = await team.report({ agent: 'solo' })
    const shown = team.models.requests[1]?.messages.at(-1)?.content ?? ''
    expect(shown.length).toBeLessThan(50_000)
    expect(shown).toContain(`sessions/${report.session}.session.yaml`)
    const kept = (await team.engine.read(report.session))?.entries.find(
      (entry) => entry.role === 'tool_result',
    )
    expect(kept?.content).toHaveLength(500_000)
  })

  test('before the window is full, older rounds are summarised; the work stays, the journal keeps everything', async () => {
    const { tools } = countingTools()
    const look = call(
      ['look', { path: 'a', size: 2_900 }],
      ['look', { path: 'b', size: 700 }],
      ['look', { path: 'c', size: 300 }],
    )
    const rounds = Array.from({ length: 20 }, () => ({ ...look, usage: { input: 0, output: 0 } }))
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      tools,
      model: { window: 8_000 },
      lanes: { solo: [...rounds, say('done')] },
    })
    const report = await team.report({ agent: 'solo', work: 'the original work' })
    expect(report.status).toBe('completed')
    const questions = team.models.requests.filter((request) => request.purpose === undefined)
    for (const question of questions) {
      const size = question.messages.reduce((sum, message) => sum + (message.content?.length ?? 0), 0)
      expect(size / 4).toBeLessThan(8_000)
      expect(question.messages[0]?.content).toBe('the original work')
      expectPaired(question.messages)
    }
    expect(team.models.requests.filter((request) => request.purpose === 'summary').length).toBeGreaterThan(1)
    expect(team.events.some((event) => event.type === 'context.compacted')).toBe(true)
    const entries = (await team.engine.read(report.session))?.entries ?? []
    expect(entries.filter((entry) => entry.role === 'tool_result')).toHaveLength(60)
  })

  test('when older rounds are summarised after a handoff, the work and the newest request stay', async () => {
    const { tools } = countingTools()
    const look = { ...call(['look', { path: 'a', size: 3_900 }]), usage: { input: 0, output: 0 } }
    const rounds = Array.from({ length: 20 }, () => look)
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      tools,
      model: { window: 8_000 },
      limits: { identicalCalls: 0 },
      lanes: { solo: [...rounds, say('done'), ...rounds, say('done as well')] },
    })
    const history = [
      { role: 'user', content: 'What the other agent was asked.' },
      { role: 'assistant', content: 'What the other agent said.' },
    ] as const
    const { session } = await team.report({ agent: 'solo', work: 'Build what was planned.', history })
    const asked = () =>
      team.models.requests
        .filter(({ purpose }) => purpose === undefined)
        .map(({ messages }) => messages.map(({ content }) => content))
    for (const contents of asked()) expect(contents).toContain('Build what was planned.')
    await team.orchestrator.resume(session, { work: 'Now test it.' }, never)
    const later = asked().slice(rounds.length + 1)
    expect(later).toHaveLength(rounds.length + 1)
    for (const contents of later)
      expect(contents).toEqual(expect.arrayContaining(['Build what was planned.', 'Now test it.']))
    const last = later.at(-1)
    expect(last?.filter((content) => content === 'Now test it.')).toHaveLength(1)
    expect(last).not.toContain('What the other agent was asked.')
    const summaries = team.events.flatMap((event) =>
      event.type === 'context.compacted' ? [event.summary] : [],
    )
    expect(summaries.length).toBeGreaterThan(1)
    for (const summary of summaries) expect(summary).toMatch(/^Earlier in this session/)
  })

  test('the caller can decide how much is summarised, and no result is separated from its call', async () => {
    const { tools } = countingTools()
    const seen: boolean[] = []
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      tools,
      lanes: { solo: [call(['look', { path: 'a' }]), call(['look', { path: 'b' }]), say('done')] },
      prepareContext({ messages, isTooLong }, { agent }) {
        seen.push(isTooLong && agent.name === 'solo')
        // In the middle of the second round: its call would be summarised, but not its result.
        return messages.length === 5 ? 4 : 0
      },
    })
    expect(await team.report({ agent: 'solo' })).toMatchObject({ text: 'done' })
    expect(seen).toEqual([false, false, false])
    const [, , third] = team.models.requests.filter(({ purpose }) => purpose === undefined)
    expect(third?.messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'tool_result'])
  })

  test('images of the work and of results reach the model', async () => {
    const image = { mime: 'image/png', data: 'aGk=' }
    const { tools } = countingTools()
    const camera = {
      ...(tools[2] as (typeof tools)[number]),
      name: 'camera',
      aliases: [],
      run: () => Promise.resolve({ content: 'a picture', images: [image] }),
    }
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      tools: [camera],
      lanes: { solo: [call(['camera', { path: 'x' }]), say('ok')] },
    })
    await team.report({ agent: 'solo', work: { content: 'look', images: [image] } })
    expect(team.models.requests[1]?.messages[0]).toMatchObject({ images: [image] })
    expect(team.models.requests[1]?.messages[2]).toMatchObject({ images: [image] })
  })

  test('messages are the same objects in every request, so that a backend can keep their serialised form', async () => {
    const { tools } = countingTools()
    const look = call(['look', { path: 'a' }])
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      tools,
      lanes: { solo: [look, look, say('ok')] },
    })
    await team.report({ agent: 'solo' })
    const [first, second, third] = team.models.requests
    expect(second?.messages[0]).toBe(first?.messages[0])
    expect(third?.messages.slice(0, 3).every((message, index) => message === second?.messages[index])).toBe(
      true,
    )
    expect(third?.tools).toBe(first?.tools)
  })
})

describe('calls', () => {
  test('repeated or empty ids of a model are made unique', async () => {
    const { tools } = countingTools()
    const same = {
      kind: 'reply' as const,
      content: null,
      calls: ['call_0', 'call_0', ''].map((id) => ({
        id,
        type: 'function' as const,
        function: { name: 'look', arguments: '{"path":"a"}' },
      })),
    }
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      tools,
      lanes: { solo: [same, same, say('ok')] },
    })
    const report = await team.report({ agent: 'solo' })
    const ids =
      (await team.engine.read(report.session))?.entries.flatMap((entry) =>
        entry.role === 'tool_result' ? [entry.tool_call_id] : [],
      ) ?? []
    expect(ids).toHaveLength(6)
    expect(new Set(ids).size).toBe(6)
  })

  test('other spellings of a tool and its arguments are accepted; only the agent’s name is offered', async () => {
    const { tools } = countingTools()
    const team = createTestTeam({
      agents: [{ name: 'solo', tools: { kind: 'list', names: ['Look'] } }],
      tools,
      lanes: {
        solo: [
          call(['Look', { filePath: 'a' }], ['look', { path: 'b' }], ['LOOK', { path: 'c' }]),
          say('ok'),
        ],
      },
    })
    const report = await team.report({ agent: 'solo' })
    expect(team.models.requests[0]?.tools.map((tool) => tool.name)).toEqual(['Look'])
    expect(report.calls).toBe(3)
    expect(team.models.requests[1]?.messages.slice(2).map((message) => message.content)).toEqual([
      'saw a',
      'saw b',
      'saw c',
    ])
  })

  test.each([
    ['a list of classes', { kind: 'list', names: ['read'] }, undefined, ['look', 'hang', 'boom']],
    ['an empty list', { kind: 'list', names: [] }, undefined, []],
    ['unknown names only', { kind: 'list', names: ['telepathy', 'constructor', '__proto__'] }, undefined, []],
    ['all but some', { kind: 'all' }, ['execute', 'note'], ['look', 'hang', 'boom']],
    ['a list less everything', { kind: 'list', names: ['note'] }, ['edit'], []],
    ['all, by a star', { kind: 'list', names: ['*'] }, undefined, ['note', 'launch', 'look', 'hang', 'boom']],
  ] as const)('tools: %s', async (_, selection, disallowedTools, offered) => {
    const { tools } = countingTools()
    const team = createTestTeam({
      agents: [{ name: 'solo', tools: selection, ...(disallowedTools && { disallowedTools }) }],
      tools,
      lanes: { solo: [say('ok')] },
    })
    await team.report({ agent: 'solo' })
    expect(team.models.requests[0]?.tools.map((tool) => tool.name)).toEqual(offered)
  })

  test('a class is every tool in it, even if another dialect has a tool with that name', async () => {
    const { tools } = countingTools()
    const named = tools.map((tool) => (tool.name === 'look' ? { ...tool, aliases: ['Read'] } : tool))
    const offered = async (name: string) => {
      const agents = [{ name: 'solo', tools: { kind: 'list', names: [name] } as const }]
      const team = createTestTeam({ agents, tools: named, lanes: { solo: [say('ok')] } })
      await team.report({ agent: 'solo' })
      return team.models.requests[0]?.tools.map((tool) => tool.name)
    }
    expect(await offered('read')).toEqual(['look', 'hang', 'boom'])
    expect(await offered('Read')).toEqual(['Read'])
  })

  test('a tool that is not in the list is refused, not only hidden', async () => {
    const { done, tools } = countingTools()
    const team = createTestTeam({
      agents: [{ name: 'solo', tools: { kind: 'list', names: ['look'] } }],
      tools,
      lanes: { solo: [call(['note', { text: 'x' }]), say('ok')] },
    })
    await team.report({ agent: 'solo' })
    expect(done).toEqual([])
    expect(team.models.requests[1]?.messages.at(-1)?.content).toMatch(/may not use note/)
  })

  test('a later rule cannot revert a denial', async () => {
    const { done, tools } = countingTools()
    const rule = (by: 'hook' | 'policy', kind: 'deny' | 'allow' | 'ask') => ({
      by,
      name: by,
      judge: () => ({ kind, by, rule: by, reason: 'because' }),
    })
    for (const rules of [
      [rule('hook', 'deny'), rule('policy', 'allow')],
      [rule('policy', 'deny'), rule('hook', 'ask')],
    ]) {
      const team = createTestTeam({
        agents: [{ name: 'solo' }],
        tools,
        lanes: { solo: [call(['note', { text: 'x' }]), say('ok')] },
        rules,
      })
      expect(await team.report({ agent: 'solo' })).toMatchObject({ status: 'completed' })
      expect(done).toEqual([])
    }
  })

  test('a later rule that allows cannot revert a question', async () => {
    const { tools } = countingTools()
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      tools,
      lanes: { solo: [call(['note', { text: 'x' }]), say('ok')] },
      rules: [
        {
          by: 'hook',
          name: 'asks',
          judge: () => Promise.resolve({ kind: 'ask', by: 'hook', rule: 'asks', reason: 'because' } as const),
        },
        { by: 'policy', name: 'allows', judge: () => ({ kind: 'allow', by: 'policy', rule: 'allows' }) },
      ],
    })
    expect(await team.run({ agent: 'solo' })).toMatchObject({ kind: 'waiting' })
  })

  test('a rule that throws denies', async () => {
    const { done, tools } = countingTools()
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      tools,
      lanes: { solo: [call(['note', { text: 'x' }]), say('ok')] },
      rules: [{ by: 'hook', name: 'broken', judge: () => Promise.reject(new Error('no interpreter')) }],
    })
    await team.report({ agent: 'solo' })
    expect(done).toEqual([])
    expect(team.models.requests[1]?.messages.at(-1)?.content).toContain('no interpreter')
  })
})

describe('a person is asked', () => {
  const ask = {
    by: 'approval',
    name: 'ask',
    judge: ({ tool }: { tool: { effect: string } }) =>
      tool.effect === 'execute'
        ? ({ kind: 'ask', by: 'approval', rule: 'commands', reason: 'it runs something' } as const)
        : undefined,
  } as const

  test('a reply that mixes calls with and without approval is settled correctly, across a restart', async () => {
    const { done, tools } = countingTools()
    const clock = createFakeClock()
    const engine = createMemoryEngine({ clock })
    const lanes = {
      solo: [
        call(['launch', { what: 'one' }], ['note', { text: 'free' }], ['launch', { what: 'two' }]),
        say('ok'),
      ],
    }
    const options = { clock, tools, lanes, agents: [{ name: 'solo' }], rules: [ask] }
    const team = createTestTeam({ ...options, engine })
    const first = await team.run({ agent: 'solo' })
    expect(first).toMatchObject({
      kind: 'waiting',
      questions: [{ name: 'approval/call_1_0' }, { name: 'approval/call_1_2' }],
    })
    expect(done).toEqual(['note free'])
    engine.answer('solo-1', 'approval/call_1_0', { decision: 'approve', by: 'ann' })
    engine.answer('solo-1', 'approval/call_1_2', { decision: 'reject', by: 'bob', reason: 'too dangerous' })
    const next = createMemoryEngine({ clock, records: engine.records })
    const second = createTestTeam({ ...options, engine: next })
    const result = await second.orchestrator.resume('solo-1', {}, never)
    expect(result).toMatchObject({ kind: 'report', report: { status: 'completed' } })
    expect(done).toEqual(['note free', 'launch one'])
    const results = (await next.read('solo-1'))?.entries.flatMap((entry) =>
      entry.role === 'tool_result' ? [entry] : [],
    )
    expect(results).toMatchObject([
      { content: 'launched one' },
      { content: 'noted free' },
      { outcome: 'refused', code: 'approval_rejected', content: expect.stringContaining('too dangerous') },
    ])
  })

  test('a waiting child lets its siblings finish, and the whole run waits', async () => {
    const { done, tools } = countingTools()
    const team = createTestTeam({
      agents: [{ name: 'lead' }, { name: 'risky' }, { name: 'safe' }],
      tools,
      rules: [ask],
      lanes: {
        lead: [call(work('risky'), work('safe'))],
        risky: [call(['launch', { what: 'x' }])],
        safe: [call(['note', { text: 'sibling' }]), call(['reportOut', { report: 'done' }])],
      },
    })
    expect(await team.run({ agent: 'lead' })).toMatchObject({ kind: 'waiting', session: 'lead-1' })
    expect(done).toEqual(['note sibling'])
    expect(
      team.events
        .filter((event) => event.type === 'session.suspended')
        .map((event) => event.session)
        .sort(),
    ).toEqual(['lead-1', 'risky-2'])
  })
})

describe('continuing', () => {
  test('a conversation continues with the history, and its limits are reset', async () => {
    const team = createTestTeam({
      agents: [{ name: 'solo', limits: { maxTurns: 1 } }],
      lanes: { solo: [say('one'), say('two')] },
    })
    const report = await team.report({ agent: 'solo', work: 'first' })
    const result = await team.orchestrator.resume(report.session, { work: 'second' }, never)
    expect(result).toMatchObject({ report: { status: 'completed', text: 'two' } })
    expect(team.models.requests[1]?.messages.map((message) => message.content)).toEqual([
      'first',
      'one',
      'second',
    ])
  })

  test('resuming a completed session returns its report again without a request', async () => {
    const team = createTestTeam({ agents: [{ name: 'solo' }], lanes: { solo: [say('one')] } })
    const report = await team.report({ agent: 'solo' })
    expect(await team.orchestrator.resume(report.session, {}, never)).toEqual({ kind: 'report', report })
    expect(team.models.requests).toHaveLength(1)
  })

  test('a failed session sends its request again when it is resumed', async () => {
    let broken = true
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      lanes: {
        solo: [() => (broken ? { kind: 'failed', code: 'backend', message: 'down' } : say('up again'))],
      },
    })
    const report = await team.report({ agent: 'solo' })
    expect(report.status).toBe('error')
    broken = false
    expect(await team.orchestrator.resume(report.session, {}, never)).toMatchObject({
      report: { status: 'completed', text: 'up again' },
    })
  })

  test('one child can be cancelled, and its parent continues', async () => {
    const team: ReturnType<typeof createTestTeam> = createTestTeam({
      agents: [{ name: 'lead' }, { name: 'stuck' }],
      lanes: {
        lead: [call(work('stuck')), say('without it, then')],
        stuck: [
          () => {
            queueMicrotask(() => team.orchestrator.cancel('stuck-2'))
            return 'hang'
          },
        ],
      },
    })
    expect(await team.report({ agent: 'lead' })).toMatchObject({
      status: 'completed',
      text: 'without it, then',
    })
    expect(team.models.requests.at(-1)?.messages.at(-1)?.content).toContain('stuck was cancelled')
  })

  test('many sessions of one agent run concurrently without interference', async () => {
    const team = createTestTeam({
      agents: [{ name: 'lead' }, { name: 'worker' }],
      limits: { concurrency: 100, sessions: 200 },
      lanes: {
        lead: [
          call(
            ...Array.from(
              { length: 100 },
              (_, i) =>
                [
                  'delegateWork',
                  { agentName: 'worker', workDescription: `number ${i}!`, reportExpectations: 'r' },
                ] as const,
            ),
          ),
          say('ok'),
        ],
        worker: [
          (request) =>
            call([
              'reportOut',
              { report: `did ${/number \d+!/.exec(request.messages[0]?.content ?? '')?.[0]}` },
            ]),
        ],
      },
    })
    await team.report({ agent: 'lead' })
    const results = team.models.requests
      .at(-1)
      ?.messages.slice(2)
      .map((message) => message.content)
    expect(results).toEqual(
      Array.from({ length: 100 }, (_, i) => expect.stringContaining(`did number ${i}!`)),
    )
  })
})

describe('events', () => {
  test('the fold over live events and the fold over the journal agree', async () => {
    const { tools } = countingTools()
    const team = createTestTeam({
      agents: [{ name: 'lead' }, { name: 'middle', delegates: { kind: 'all' } }, { name: 'leaf' }],
      tools,
      lanes: {
        lead: [call(work('middle'), work('leaf')), say('done')],
        middle: [
          call(work('leaf'), ['look', { path: 'a' }], ['nothing', {}]),
          say('hm'),
          call(['reportOut', { report: 'm' }]),
        ],
        leaf: [call(['note', { text: 'n' }], ['boom', {}]), call(['reportOut', { report: 'l' }])],
      },
    })
    const report = await team.report({ agent: 'lead' })
    const live = fold(team.events)
    const read: CadreEvent[] = []
    for (const id of live.sessions.keys()) read.push(...eventsOf((await team.engine.read(id)) as never))
    expect(plain(fold(read))).toEqual(plain(live))
    expect(
      agentRounds(live, report.session)[0]?.subAgentRounds.map(
        (round) => `${round.session}/${round.roundId}`,
      ),
    ).toEqual(['middle-2/1', 'middle-2/2', 'middle-2/3', 'leaf-3/1', 'leaf-3/2'])
    expect(agentRounds(live, report.session)[0]?.subAgentRounds[0]?.subAgentRounds).toHaveLength(2)
  })

  test('dropping text deltas changes nothing once the reply is complete', async () => {
    const team = createTestTeam({ agents: [{ name: 'solo' }], lanes: { solo: [say('a long text')] } })
    await team.report({ agent: 'solo' })
    const without = fold(team.events.filter((event) => event.type !== 'text.added'))
    expect(plain(without)).toEqual(plain(fold(team.events)))
  })
})

function fold(events: readonly CadreEvent[]): View {
  const view = emptyView()
  for (const event of events) applyToView(view, event)
  return view
}

function plain(view: View) {
  return [...view.sessions.values()]
    .map(({ startedAt: _s, updatedAt: _u, questions: _q, children, ...session }) => ({
      ...session,
      children: [...children].sort(),
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Every result follows its call, and every call has its result. */
function expectPaired(messages: readonly Message[]): void {
  const open = new Set<string>()
  for (const message of messages) {
    if (message.role === 'assistant') for (const one of message.tool_calls ?? []) open.add(one.id)
    if (message.role === 'tool_result') expect(open.delete(message.tool_call_id)).toBe(true)
  }
  expect(open.size).toBe(0)
}
