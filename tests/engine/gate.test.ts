import type { Answerer, Entry, LifecycleEvent, LifecycleHandler, Rule, Verdict } from '@cadre/core'
import { call, createTestTeam, type Line, say, type TestTeamOptions } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { countingTools } from './tools.ts'
import { type World, worlds } from './worlds.ts'

const asking: Rule<string> = {
  by: 'policy',
  name: 'careful',
  immediate: true,
  judge({ tool, input }) {
    if (tool.effect === 'read' || tool.kind !== undefined) return undefined
    const what = (input as { what?: string; text?: string }).what ?? 'text'
    return { kind: 'ask', by: 'policy', rule: 'careful', reason: 'look at it', risk: 'HIGH', grants: [what] }
  },
}
const hook = (verdict: (input: Record<string, unknown>) => Verdict<string> | undefined): Rule<string> => ({
  by: 'hook',
  name: 'hook',
  judge: async ({ input }) => verdict(input as Record<string, unknown>),
})

function open(world: World, options: Partial<TestTeamOptions> & { lanes: Record<string, readonly Line[]> }) {
  const effects = countingTools()
  onTestFinished(() => world.dispose())
  const team = async (more: Partial<TestTeamOptions> = {}) =>
    createTestTeam({
      agents: Object.keys(options.lanes).map((name) => ({
        name,
        delegates: { kind: 'all' as const },
      })),
      tools: effects.tools,
      engine: await world.open(),
      clock: world.clock,
      ...options,
      ...more,
    })
  return { effects, team }
}

const delegateTo = (name: string) =>
  call(['delegate_task', { description: 'd', prompt: 'p', subagent_type: name, wait_for_result: true }])
const results = (entries: readonly Entry[] = []) =>
  entries.flatMap((entry) => (entry.role === 'tool_result' ? [entry] : []))
const events = (entries: readonly Entry[] = [], type: string) =>
  entries.flatMap((entry) => (entry.role === 'event' && entry.type === type ? [entry] : []))

describe.each(worlds)('on $name', ({ create }) => {
  test('arguments that a hook changes are judged, recorded and run', async () => {
    const { effects, team } = open(create(), {
      lanes: { lead: [call(['launch', { what: 'rocket' }]), say('done')] },
      rules: [
        hook(({ what }) => ({ kind: 'allow', by: 'hook', rule: 'h', input: { what: `safe ${what}` } })),
        asking,
      ],
    })
    const world = await team()
    const result = await world.run({ agent: 'lead' })
    expect(result.kind).toBe('waiting')
    const { entries } = (await world.engine.read('lead-1')) ?? {}
    expect(events(entries, 'call.held')[0]).toMatchObject({
      by: 'policy',
      rule: 'careful',
      risk: 'HIGH',
      grants: ['safe rocket'],
      input: { what: 'safe rocket' },
    })
    const asked = world.events.find((event) => event.type === 'person.asked')
    expect(asked).toMatchObject({ text: expect.stringContaining('{"what":"safe rocket"}') })
    expect(effects.done).toEqual([])
  })

  test('an invalid changed argument is refused, with the hook that changed it', async () => {
    const { effects, team } = open(create(), {
      lanes: { lead: [call(['launch', { what: 'rocket' }]), say('done')] },
      rules: [hook(() => ({ kind: 'allow', by: 'hook', rule: 'odd.json', input: { what: 7 } }))],
    })
    const world = await team()
    await world.report({ agent: 'lead' })
    expect(results((await world.engine.read('lead-1'))?.entries)[0]).toMatchObject({
      outcome: 'refused',
      code: 'hook',
      content: expect.stringContaining('odd.json'),
    })
    expect(effects.done).toEqual([])
  })

  test('a call approved days later, in another life, runs with the approved arguments', async () => {
    const world = create()
    const { effects, team } = open(world, {
      lanes: { lead: [call(['launch', { what: 'rocket' }]), say('done')] },
      rules: [hook(() => ({ kind: 'allow', by: 'hook', rule: 'h', input: { what: 'kite' } })), asking],
    })
    const first = await team()
    expect((await first.run({ agent: 'lead' })).kind).toBe('waiting')
    await world.answer({ session: 'lead-1', name: 'approval/call_1_0' }, { decision: 'approve', by: 'ada' })
    await world.close()
    const hooked: string[] = []
    const second = await team({
      lanes: { lead: [say('not again'), say('done')] },
      rules: [
        hook(({ what }) => {
          hooked.push(String(what))
          return { kind: 'allow', by: 'hook', rule: 'h', input: { what: 'bomb' } }
        }),
        asking,
      ],
    })
    await second.orchestrator.resume('lead-1', {}, new AbortController().signal)
    expect(effects.done).toEqual(['launch kite'])
    expect(hooked).toEqual([])
    const { entries } = (await second.engine.read('lead-1')) ?? {}
    expect(events(entries, 'call.started')[0]).toMatchObject({
      by: 'approval',
      approved_by: 'ada',
      input: { what: 'kite' },
    })
  })

  test('an approval does not lift what is denied by now', async () => {
    const world = create()
    const { effects, team } = open(world, {
      lanes: { lead: [call(['launch', { what: 'rocket' }]), say('done')] },
      rules: [asking],
    })
    const first = await team()
    await first.run({ agent: 'lead' })
    await world.answer({ session: 'lead-1', name: 'approval/call_1_0' }, { decision: 'approve', by: 'ada' })
    await world.close()
    const forbid: Rule<string> = {
      by: 'policy',
      name: 'no',
      judge: () => ({ kind: 'deny', by: 'policy', rule: 'no', reason: 'forbidden since' }),
    }
    const second = await team({ lanes: { lead: [say('not again'), say('done')] }, rules: [forbid] })
    await second.orchestrator.resume('lead-1', {}, new AbortController().signal)
    expect(effects.done).toEqual([])
    expect(results((await second.engine.read('lead-1'))?.entries)[0]).toMatchObject({
      outcome: 'refused',
      code: 'policy',
      content: 'forbidden since',
    })
  })

  test('a call that finished while another waited keeps its outcome, even if its tool is gone by then', async () => {
    const world = create()
    const askedNotes: Rule<string> = {
      ...asking,
      judge: (judged, ...rest) => (judged.tool.name === 'note' ? asking.judge(judged, ...rest) : undefined),
    }
    const { effects, team } = open(world, {
      lanes: { lead: [call(['note', { text: 'a' }], ['launch', { what: 'rocket' }]), say('done')] },
      rules: [askedNotes],
    })
    await (await team()).run({ agent: 'lead' })
    expect(effects.done).toEqual(['launch rocket'])
    await world.answer({ session: 'lead-1', name: 'approval/call_1_0' }, { decision: 'reject' })
    await world.close()
    const tools = effects.tools.filter(({ name }) => name !== 'launch')
    const second = await team({ tools })
    await second.orchestrator.resume('lead-1', {}, new AbortController().signal)
    expect(results((await second.engine.read('lead-1'))?.entries)[1]).toMatchObject({
      content: 'launched rocket',
    })
    expect(effects.done).toEqual(['launch rocket'])
  })

  test('a grant for a session applies only there, even after a resume, and not to its children', async () => {
    const world = create()
    const again = call(['launch', { what: 'rocket' }])
    const { effects, team } = open(world, {
      lanes: {
        lead: [again, again, call(['launch', { what: 'bomb' }]), delegateTo('child')],
        child: [again],
      },
      rules: [asking],
    })
    const first = await team()
    await first.run({ agent: 'lead' })
    await world.answer(
      { session: 'lead-1', name: 'approval/call_1_0' },
      { decision: 'approve-session', by: 'ada' },
    )
    await world.close()
    const second = await team()
    const result = await second.orchestrator.resume('lead-1', {}, new AbortController().signal)
    expect(effects.done).toEqual(['launch rocket', 'launch rocket'])
    expect(result.kind).toBe('waiting')
    const { entries } = (await second.engine.read('lead-1')) ?? {}
    expect(events(entries, 'call.started').map(({ rule }) => rule)).toEqual([
      'approve-session',
      'granted for this session',
    ])
    await world.close()
    const third = await team()
    await world.answer(
      { session: 'lead-1', name: 'approval/call_3_0' },
      { decision: 'reject', reason: 'no bombs' },
    )
    const last = await third.orchestrator.resume('lead-1', {}, new AbortController().signal)
    expect(last).toMatchObject({ kind: 'waiting' })
    expect(third.events.some((event) => event.type === 'person.asked' && event.session === 'child-1')).toBe(
      true,
    )
    expect(effects.done).toHaveLength(2)
  })

  test('only a person can answer a firm question', async () => {
    const { effects, team } = open(create(), {
      lanes: { lead: [call(['launch', { what: 'rocket' }]), say('done')] },
      rules: [
        {
          by: 'approval',
          name: 'firm',
          judge: () => ({
            kind: 'ask',
            by: 'approval',
            rule: 'firm',
            reason: 'always',
            firm: true,
            grants: ['x'],
          }),
        },
      ],
      answerers: [() => ({ kind: 'allow', by: 'hook', rule: 'eager' })],
    })
    const world = await team()
    expect((await world.run({ agent: 'lead' })).kind).toBe('waiting')
    expect(effects.done).toEqual([])
    const asked = world.events.find((event) => event.type === 'person.asked')
    expect(asked).toMatchObject({ choices: ['approve', 'reject'] })
  })

  test('answerers may allow or refuse, the first answer applies, and one that fails refuses', async () => {
    const answer = async (...answerers: Answerer<string>[]) => {
      const { effects, team } = open(create(), {
        lanes: { lead: [call(['launch', { what: 'rocket' }]), say('done')] },
        rules: [asking],
        answerers,
      })
      const world = await team()
      await world.run({ agent: 'lead' })
      return [effects.done.length, results((await world.engine.read('lead-1'))?.entries)[0]?.code]
    }
    const allow: Answerer<string> = () => ({ kind: 'allow', by: 'hook', rule: 'yes' })
    const deny: Answerer<string> = async () => ({
      kind: 'deny',
      by: 'approval',
      rule: 'no',
      reason: 'nobody is here',
    })
    const fail: Answerer<string> = () => {
      throw new Error('broken')
    }
    expect(await answer(allow, deny)).toEqual([1, undefined])
    expect(await answer(() => undefined, deny, allow)).toEqual([0, 'approval'])
    expect(await answer(fail, allow)).toEqual([0, 'approval'])
  })

  test('a budget applies to the calls in one reply when rules take time', async () => {
    const { effects, team } = open(create(), {
      lanes: {
        lead: [
          call(
            ['note', { text: 'a' }],
            ['note', { text: 'b' }],
            ['note', { text: 'c' }],
            ['note', { text: 'd' }],
          ),
          say('done'),
        ],
      },
      agents: [{ name: 'lead', limits: { budget: { calls: 2 } } }],
      rules: [hook(() => undefined)],
    })
    const world = await team()
    await world.report({ agent: 'lead' })
    expect(effects.done).toEqual(['note a', 'note b'])
    expect(results((await world.engine.read('lead-1'))?.entries).map(({ code }) => code)).toEqual([
      undefined,
      undefined,
      'budget',
      'budget',
    ])
  })

  test('each moment of a session is passed on once, and the response reaches the model', async () => {
    const told: string[] = []
    const onLifecycleEvent: LifecycleHandler = (moment: LifecycleEvent, session) => {
      told.push(`${session.agent.name} ${moment.kind}`)
      if (moment.kind === 'session.started') return { context: `welcome ${session.agent.name}` }
      if (moment.kind === 'prompt.given') return { context: 'mind the gap' }
      if (moment.kind === 'call.settled' && moment.call.tool.name === 'look')
        return { content: 'nothing to see', context: 'as expected' }
      return undefined
    }
    const { team } = open(create(), {
      agents: [{ name: 'lead', delegates: { kind: 'all' } }, { name: 'child' }],
      lanes: {
        lead: [
          call(['look', { path: 'a' }]),
          call([
            'delegate_task',
            { description: 'd', prompt: 'p', subagent_type: 'child', wait_for_result: true },
          ]),
          say('done'),
        ],
        child: [say('found')],
      },
      onLifecycleEvent,
    })
    const world = await team()
    await world.report({ agent: 'lead' })
    expect(told).toEqual([
      'lead session.started',
      'lead prompt.given',
      'lead call.settled',
      'child session.started',
      'child session.ended',
      'lead call.settled',
      'lead session.ended',
    ])
    const { entries = [] } = (await world.engine.read('lead-1')) ?? {}
    expect(entries.filter((entry) => entry.role === 'user').map(({ content }) => content)).toEqual([
      'do it',
      'mind the gap',
      'welcome lead',
    ])
    expect(results(entries)[0]?.content).toBe('nothing to see\n\nas expected')
  })

  test('a rejected prompt never reaches the model, now or later', async () => {
    const world = create()
    const onLifecycleEvent: LifecycleHandler = (moment) =>
      moment.kind === 'prompt.given' && moment.prompt.includes('secret')
        ? { blocked: 'no secrets' }
        : undefined
    const { team } = open(world, { lanes: { lead: [] }, onLifecycleEvent })
    const first = await team()
    const result = await first.run({ agent: 'lead', work: 'the secret is 42' })
    expect(result).toMatchObject({
      kind: 'report',
      report: { status: 'error', notices: [{ code: 'hook_denied', message: 'no secrets' }] },
    })
    expect(first.models.requests).toHaveLength(0)
    await world.close()
    const second = await team({ lanes: { lead: [say('hello')] } })
    const later = await second.orchestrator.resume(
      'lead-1',
      { work: 'good morning' },
      new AbortController().signal,
    )
    expect(later).toMatchObject({ report: { status: 'completed', text: 'hello' } })
    expect(JSON.stringify(second.models.requests)).not.toContain('42')
  })

  test('an external stop ends the session after the calls of its reply, and a person can continue it', async () => {
    const world = create()
    const stopping = hook(({ text }) =>
      text === 'b' ? { kind: 'deny', by: 'hook', rule: 'h', reason: 'no', stop: 'enough' } : undefined,
    )
    const { effects, team } = open(world, {
      lanes: { lead: [call(['note', { text: 'a' }], ['note', { text: 'b' }])] },
      rules: [stopping],
    })
    const first = await team()
    expect(await first.report({ agent: 'lead' })).toMatchObject({
      status: 'incomplete',
      notices: [{ code: 'stopped', message: 'enough' }],
    })
    expect(effects.done).toEqual(['note a'])
    await world.close()
    const second = await team({ lanes: { lead: [say('not again'), say('went on')] } })
    const later = await second.orchestrator.resume('lead-1', { work: 'go on' }, new AbortController().signal)
    expect(later).toMatchObject({ report: { status: 'completed', text: 'went on' } })
  })

  test('a stop gate blocks eight times, then the report is marked', async () => {
    const seen: number[] = []
    const { team } = open(create(), {
      lanes: { lead: Array.from({ length: 9 }, (_, index) => say(`try ${index}`)) },
      reviewers: [
        ({ stops }) => {
          seen.push(stops)
          return { kind: 'return', reason: 'not yet', by: 'stop' }
        },
      ],
    })
    const world = await team()
    expect(await world.report({ agent: 'lead' })).toMatchObject({
      status: 'incomplete',
      text: 'try 8',
      notices: [{ code: 'stop', message: expect.stringContaining('after 8 requests') }],
    })
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  test('every decision is an event and can be read back the same', async () => {
    const { team } = open(create(), {
      lanes: {
        lead: [call(['look', { path: 'a' }], ['launch', { what: 'x' }], ['nothing', {}])],
      },
      rules: [asking],
    })
    const world = await team()
    await world.run({ agent: 'lead' })
    const told = world.events.flatMap((event) => (event.type === 'call.judged' ? [event] : []))
    expect(told.map(({ tool, decision, by }) => [tool, decision, by])).toEqual([
      ['look', 'allow', 'policy'],
      ['launch', 'ask', 'policy'],
      ['nothing', 'deny', 'tool'],
    ])
    expect(told[1]).toMatchObject({ agent: 'lead', rule: 'careful', reason: 'look at it', risk: 'HIGH' })
  })
})

describe('controls of a whole tree', () => {
  const names = ['lead', 'one', 'two', 'three']
  const lanes = (effect: Line, end = 'done') => ({
    lead: [delegateTo('one'), say(end)],
    one: [effect, delegateTo('two'), say(end)],
    two: [effect, delegateTo('three'), say(end)],
    three: [effect, say(end)],
  })

  test.each([
    ['readOnly', { readOnly: true }, 'role'],
    ['deniedTools', { deniedTools: ['edit'] }, 'agent'],
  ] as const)('%s set at the root is refused at every depth', async (_, controls, by) => {
    const effects = countingTools()
    const team = createTestTeam({
      agents: names.map((name) => ({ name, delegates: { kind: 'all' } })),
      tools: effects.tools,
      lanes: lanes(call(['note', { text: 'x' }])),
    })
    await team.report({ agent: 'lead', controls })
    const refused = team.events.flatMap((event) =>
      event.type === 'call.judged' && event.decision === 'deny' ? [[event.agent, event.by]] : [],
    )
    expect(refused).toEqual([
      ['one', by],
      ['two', by],
      ['three', by],
    ])
    expect(effects.done).toEqual([])
  })

  test('approvalRequired makes every effect of every descendant wait, and a grant does not help', async () => {
    const effects = countingTools()
    const team = createTestTeam({
      agents: names.map((name) => ({ name, delegates: { kind: 'all' } })),
      tools: effects.tools,
      lanes: { lead: [delegateTo('one')], one: [delegateTo('two')], two: [call(['note', { text: 'x' }])] },
    })
    const result = await team.run({ agent: 'lead', controls: { approvalRequired: true } })
    expect(result.kind).toBe('waiting')
    expect(effects.done).toEqual([])
    const asked = team.events.flatMap((event) =>
      event.type === 'call.judged' && event.decision === 'ask' ? [[event.agent, event.rule]] : [],
    )
    expect(asked).toEqual([['two', 'approval-required']])
  })
})
