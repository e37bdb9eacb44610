import type { AgentDefinition } from '@cadre/core'
import { sessionIds } from '@cadre/home'
import { call, createFakeClock, defineAgent, type Line, say } from '@cadre/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { amount } from '../support/amount.ts'
import { allHosts, cases, read, starts, task } from './dialect-cases.ts'
import { type AgentText, chatmode, claude, copilot, load, opencode, template } from './dialect-files.ts'
import {
  type Call,
  depths,
  entriesOf,
  finish,
  firstResult,
  place,
  resultsOf,
  run,
  settle,
  settleAfterResume,
  work,
} from './dialect-runs.ts'
import { crashAt, fileWorld, type World, worlds } from './worlds.ts'

// Restrictions in a file of a dialect are enforced at dispatch: at any depth in a tree, and after a resume.

describe('a call that the file does not permit', () => {
  const open: World[] = []
  afterEach(async () => {
    for (const world of open.splice(0)) await world.dispose()
  })

  describe.each(cases.map((one) => [one.key, one] as const))(
    '%s',
    (_, { file, refuses, by = 'agent', free, leaves }) => {
      const loaded = () => ({
        subject: load(file),
        freed: load(free ?? { ...file, header: '', gives: {} }),
      })

      test.each(depths)('is refused at depth %i, and done without the key', async (depth) => {
        const { subject, freed } = loaded()
        expect(await settle(subject, depth, refuses)).toMatchObject({ outcome: 'refused', code: by })
        expect(await settle(freed, depth, refuses)).not.toHaveProperty('outcome')
        if (leaves !== undefined) expect(await settle(subject, depth, leaves)).not.toHaveProperty('outcome')
      })

      test('is refused when the session is resumed from its files, whatever the agent’s file is by then', async () => {
        const { subject, freed } = loaded()
        const world = fileWorld()
        open.push(world)
        expect(await settleAfterResume(world, subject, freed, refuses)).toMatchObject({
          outcome: 'refused',
          code: by,
        })
      })
    },
  )
})

describe('an agent that not everyone may start', () => {
  const kept: readonly (readonly [string, AgentText])[] = [
    ['disable-model-invocation', copilot('disable-model-invocation: true', { modelInvocable: false })],
    ['infer: false', copilot('infer: false', { modelInvocable: false })],
    ['mode: primary', opencode('mode: primary', { modelInvocable: false })],
  ]
  describe.each(kept)('%s', (_, file) => {
    const target = load(file)
    const callerOf = (given: Partial<AgentDefinition>) => defineAgent({ name: 'caller', ...given })
    const ask = async (
      depth: (typeof depths)[number],
      given: Partial<AgentDefinition>,
      agent: AgentDefinition,
    ) => {
      const caller = callerOf(given)
      const others = [agent, defineAgent({ name: 'helper' })]
      const team = place({ subject: caller, depth, lines: [call(work('subject')), finish], others })
      await run(team, { subject: caller, depth })
      return firstResult(team, 'caller')
    }
    test.each(depths)(
      'prevents models from starting it at depth %i, unless they are given its name',
      async (depth) => {
        expect(await ask(depth, allHosts, target)).toMatchObject({ outcome: 'refused', code: 'role' })
        expect(await ask(depth, allHosts, load({ ...file, header: '', gives: {} }))).not.toHaveProperty(
          'outcome',
        )
        expect(await ask(depth, starts('Subject'), target)).not.toHaveProperty('outcome')
      },
    )
  })

  test.each([
    ['user-invocable: false', copilot('user-invocable: false', { userInvocable: false })],
    ['user-invokable: false', copilot('user-invokable: false', { userInvocable: false })],
    ['hidden: true', opencode('hidden: true', { userInvocable: false })],
  ])('%s: not by a person, but by agents', async (_, file) => {
    const subject = load(file)
    await expect(
      run(place({ subject, depth: 0, lines: [finish] }), { subject, depth: 0 }),
    ).rejects.toMatchObject({
      code: 'usage',
    })
    for (const depth of [1, 3] as const) {
      const team = place({ subject, depth, lines: [finish] })
      expect(await run(team, { subject, depth })).toMatchObject({ status: 'completed', sessions: depth + 1 })
    }
  })

  test.each([
    ['mode: subagent', opencode('mode: subagent', {})],
    ['mode: all', opencode('mode: all', {})],
  ])('%s: by both', async (_, file) => {
    const subject = load(file)
    for (const depth of depths)
      expect(await run(place({ subject, depth, lines: [finish] }), { subject, depth })).toMatchObject({
        status: 'completed',
      })
  })
})

describe('the model of the file is used', () => {
  const catalogue = ['house-model', 'claude-sonnet-4', 'claude-sonnet-4.5', 'gpt-5', 'gpt-5-mini']
  const modelAt = async (file: AgentText, depth: (typeof depths)[number], more: object = {}) => {
    const subject = load(file)
    const team = place({ subject, depth, lines: [finish], model: { catalogue }, ...more })
    const report = await run(team, { subject, depth })
    const started = team.events.find((event) => event.type === 'session.started' && event.agent === 'subject')
    return { report, model: started && (await team.engine.read(started.session))?.spec.model, team }
  }
  test.each([
    ['none', copilot('', {}), 'house-model'],
    ['a name', copilot('model: gpt-5', { models: ['gpt-5'] }), 'gpt-5'],
    [
      'a name with its vendor',
      copilot('model: Claude Sonnet 4.5 (copilot)', { models: ['Claude Sonnet 4.5 (copilot)'] }),
      'claude-sonnet-4.5',
    ],
    [
      'a list',
      copilot("model: ['Gemini 3 Pro (copilot)', 'GPT-5 mini (copilot)']", {
        models: ['Gemini 3 Pro (copilot)', 'GPT-5 mini (copilot)'],
      }),
      'gpt-5-mini',
    ],
    ['a family', claude('model: sonnet', { models: ['sonnet'] }), 'claude-sonnet-4.5'],
    [
      'a provider',
      opencode('model: anthropic/claude-sonnet-4-20250514', {
        models: ['anthropic/claude-sonnet-4-20250514'],
      }),
      'claude-sonnet-4',
    ],
    ['several in one line', chatmode("model: GPT-4.1 | 'gpt-5'", { models: ["GPT-4.1 | 'gpt-5'"] }), 'gpt-5'],
    ['inherit', claude('model: inherit', {}), 'house-model'],
  ])('%s', async (_, file, expected) => {
    for (const depth of depths) {
      const { report, model, team } = await modelAt(file, depth)
      expect(report.status).toBe('completed')
      expect(model).toBe(expected)
      expect(team.models.requests.filter((request) => request.agent === 'subject')).toHaveLength(1)
    }
  })

  test('inherit, and an empty value, is the model of the delegating agent', async () => {
    for (const file of [claude('model: inherit', {}), copilot('', {})]) {
      const subject = load(file)
      const boss = defineAgent({ name: 'boss', models: ['gpt-5'], ...starts('subject') })
      const team = place({
        subject: boss,
        depth: 0,
        others: [subject],
        lines: [call(work('subject')), finish],
        model: { catalogue },
      })
      await run(team, { subject: boss, depth: 0 })
      const started = team.events.filter((event) => event.type === 'session.started')
      expect(started.map((event) => event.model)).toEqual(['gpt-5', 'gpt-5'])
    }
  })

  const opus = () =>
    load(copilot('model: Claude Opus 4.6 (copilot)', { models: ['Claude Opus 4.6 (copilot)'] }))

  test.each(depths)(
    'an unknown one is replaced by the default, with a notice, at depth %i',
    async (depth) => {
      const subject = opus()
      const team = place({ subject, depth, lines: [finish], model: { catalogue } })
      expect((await run(team, { subject, depth })).status).toBe('completed')
      const started = team.events.find(
        (event) => event.type === 'session.started' && event.agent === 'subject',
      )
      expect(started).toMatchObject({ model: 'house-model' })
      const stored = await team.engine.read(started?.session ?? '')
      expect(
        stored?.entries.filter((entry) => entry.role === 'event' && entry.type === 'notice.added'),
      ).toMatchObject([
        {
          code: 'model',
          content: expect.stringMatching(
            /^subject asks for the model "Claude Opus 4\.6 \(copilot\)", but it is unknown: .*\. It runs on the default model house-model instead$/,
          ),
        },
      ])
    },
  )

  test.each(depths)('an unknown one is an error if a policy forbids another, at depth %i', async (depth) => {
    const subject = opus()
    const team = place({ subject, depth, lines: [finish], model: { catalogue, isFirm: true } })
    if (depth === 0)
      await expect(run(team, { subject, depth })).rejects.toMatchObject({ code: 'unknown_model' })
    else {
      await run(team, { subject, depth })
      const above = depth === 1 ? 'entry' : 'b'
      expect(await firstResult(team, above)).toMatchObject({ outcome: 'failed', code: 'unknown_model' })
    }
    expect(team.models.requests.filter((request) => request.agent === 'subject')).toEqual([])
  })
})

describe('limits apply wherever the agent works', () => {
  const look = call(read)
  test.each([
    ['maxTurns', claude('maxTurns: 2', { limits: { maxTurns: 2 } })],
    ['max_turns', claude('max_turns: 2', { limits: { maxTurns: 2 } })],
    ['max-turns', template('max-turns: 2', { limits: { maxTurns: 2 } })],
    ['steps', opencode('steps: 2', { limits: { maxTurns: 2 } })],
  ])('%s', async (_, file) => {
    for (const depth of depths) {
      const subject = load(file)
      const team = place({ subject, depth, lines: [look, look, look, finish] })
      await run(team, { subject, depth })
      expect(team.models.requests.filter((request) => request.agent === 'subject')).toHaveLength(2)
      expect(team.events.find((event) => event.type === 'session.ended')).toMatchObject({
        report: { status: 'incomplete' },
      })
    }
  })

  test('budget', async () => {
    const subject = load(copilot('budget: { calls: 1 }', { limits: { budget: { calls: 1 } } }))
    for (const depth of depths) {
      const team = place({ subject, depth, lines: [look, look, finish] })
      await run(team, { subject, depth })
      expect((await resultsOf(team, 'subject')).slice(0, 2)).toMatchObject([
        { content: 'did it' },
        { outcome: 'refused', code: 'budget' },
      ])
    }
  })

  test('timeout, which a call cannot raise', async () => {
    const subject = load(copilot('timeout: 10s', { limits: { timeoutSeconds: 10 } }))
    for (const depth of [1, 3] as const) {
      const clock = createFakeClock()
      const slow: Line = () => {
        queueMicrotask(() => clock.advance(10_000))
        return 'hang'
      }
      const above = depth === 1 ? 'entry' : 'b'
      const long: Call = ['Task', { prompt: 'x', subagent_type: 'subject', timeout_seconds: 3_600 }]
      const team = place({ subject, depth, lines: [slow], clock, lanes: { [above]: [call(long), finish] } })
      await run(team, { subject, depth })
      expect(await firstResult(team, above)).toMatchObject({ outcome: 'failed', code: 'timeout' })
    }
  })
})

describe('requirements and contents of a report', () => {
  test('required sections', async () => {
    const file = copilot('required-sections: [Verdict]', { requiredSections: ['Verdict'] })
    const subject = load(file)
    for (const depth of depths) {
      const end =
        (text: string): Line =>
        (request) =>
          request.tools.some((offer) => offer.name === 'reportOut')
            ? call(['reportOut', { report: text }])
            : say(text)
      const team = place({ subject, depth, lines: [end('fine'), end('# Verdict\nPASS')] })
      await run(team, { subject, depth })
      const ended = team.events.find((event) => event.type === 'session.ended')
      expect(ended).toMatchObject({
        report: { agent: 'subject', status: 'completed', sections: { Verdict: 'PASS' } },
      })
      expect(team.models.requests.filter((request) => request.agent === 'subject')).toHaveLength(2)
    }
  })

  test('handoffs', async () => {
    const handoffs = [{ label: 'Build it', agent: 'builder', prompt: 'Build what was planned', send: true }]
    const header =
      'handoffs:\n  - label: Build it\n    agent: builder\n    prompt: Build what was planned\n    send: true'
    const subject = load(copilot(header, { handoffs }))
    for (const depth of depths) {
      const team = place({ subject, depth, lines: [finish] })
      await run(team, { subject, depth })
      expect(team.events.find((event) => event.type === 'session.ended')).toMatchObject({
        report: { agent: 'subject', handoffs },
      })
    }
  })
})

describe('an agent that works in the background', () => {
  const subject = load(claude('background: true', { background: true }))
  const above = { 0: 'nobody', 1: 'entry', 3: 'b' } as const

  test.each([1, 3] as const)('never makes its caller wait, at depth %i', async (depth) => {
    const caller = above[depth]
    for (const made of [
      work('subject'),
      task('subject'),
      ['delegate_task', { prompt: 'x', subagent_type: 'subject', wait_for_result: true }] as const,
    ]) {
      const team = place({
        subject,
        depth,
        lines: [finish],
        lanes: { [caller]: [call(made), say('I go on'), finish] },
      })
      await run(team, { subject, depth })
      expect((await firstResult(team, caller)).content).toMatch(/^Started subject/)
      const entries = await entriesOf(team, caller)
      expect(entries.find((entry) => entry.role === 'event' && entry.type === 'call.started')).toMatchObject({
        background: true,
      })
      expect(entries.find((entry) => entry.role === 'user' && entry.collected !== undefined)).toMatchObject({
        content: expect.stringContaining('done'),
      })
    }
  })

  test('one that does not is waited for', async () => {
    const team = place({ subject: load(claude('', {})), depth: 1, lines: [finish] })
    await run(team, { subject, depth: 1 })
    expect((await firstResult(team, 'entry')).content).toMatch(/^Report of subject/)
  })

  test('keeps its definition when the run is resumed, although its file has changed', async () => {
    const world = fileWorld()
    const stop = new AbortController()
    const hang: Line = () => {
      queueMicrotask(() => stop.abort())
      return 'hang'
    }
    const lanes = { entry: [call(work('subject')), say('I go on'), say('all done')] }
    const first = place({
      subject,
      depth: 1,
      lines: [hang],
      lanes,
      engine: await world.open(),
      clock: world.clock,
    })
    const { session } = await run(first, { subject, depth: 1 }, stop.signal)
    await world.close()
    const later = load(claude('', {}))
    const second = place({
      subject: later,
      depth: 1,
      lines: [finish],
      lanes,
      engine: await world.open(),
      clock: world.clock,
    })
    const result = await second.orchestrator.resume(session, {}, new AbortController().signal)
    expect(result).toMatchObject({ report: { status: 'completed', text: 'all done', sessions: 2 } })
    expect((await firstResult(second, 'entry')).content).toMatch(/^Started subject/)
    await world.dispose()
  })

  test.each(worlds)(
    'whenever the process dies, a call is settled as its start was recorded: $name',
    async ({ create }) => {
      const waited = load(claude('', {}))
      const lanes = { entry: [call(work('subject')), say('I go on'), say('all done')] }
      for (const [before, after] of [[subject, waited] as const, [waited, subject] as const]) {
        for (let at = 1, died = true; died; at += amount({ usual: 5, deep: 1 })) {
          const world = create()
          const { engine, death } = crashAt(await world.open(), at)
          const first = place({
            subject: before,
            depth: 1,
            lines: [finish],
            lanes,
            engine,
            clock: world.clock,
          })
          const ended = run(first, { subject, depth: 1 }).then(() => false)
          died = await Promise.race([ended, death.died.then(() => true)])
          const id = first.events[0]?.session ?? ''
          await world.close()
          const reopened = await world.open()
          if ((await reopened.read(id)) === undefined) {
            await world.dispose()
            continue
          }
          const second = place({
            subject: after,
            depth: 1,
            lines: [finish],
            lanes,
            engine: reopened,
            clock: world.clock,
          })
          const result = await second.orchestrator.resume(id, {}, new AbortController().signal)
          expect(result, `point ${at}`).toMatchObject({ report: { status: 'completed', sessions: 2 } })
          const entries = (await second.engine.read(id))?.entries ?? []
          const started = entries.find((entry) => entry.role === 'event' && entry.type === 'call.started')
          const settled = entries.find((entry) => entry.role === 'tool_result')
          expect(settled?.content, `point ${at}`).toMatch(
            started?.role === 'event' && started['background'] === true ? /^Started/ : /^Report of/,
          )
          await world.dispose()
        }
      }
    },
  )

  test('a call can request the same for any agent', async () => {
    const ask = async (made: Call) => {
      const team = place({
        subject: load(claude('', {})),
        depth: 1,
        lines: [finish],
        lanes: { entry: [call(made), finish, finish] },
      })
      await run(team, { subject, depth: 1 })
      return (await firstResult(team, 'entry')).content
    }
    expect(
      await ask([
        'Agent',
        { description: 'look', prompt: 'x', subagent_type: 'subject', run_in_background: true },
      ]),
    ).toMatch(/^Started/)
    expect(
      await ask([
        'Agent',
        { description: 'look', prompt: 'x', subagent_type: 'Subject', run_in_background: false },
      ]),
    ).toMatch(/^Report/)
    expect(await ask(['runSubagent', { description: 'look', prompt: 'x', agentName: 'subject' }])).toMatch(
      /^Report/,
    )
    expect(await ask(['delegate_task', { description: 'look', prompt: 'x', agentName: 'subject' }])).toMatch(
      /^Started/,
    )
    expect(
      await ask(['delegateWork', { agent_name: 'SUBJECT', description: 'look', reportExpectations: 'all' }]),
    ).toMatch(/^Report/)
  })
})

test.each(['SE: DevOps/CI', 'C# Expert', 'Plan, then build', '日本語 & "quotes"', 'x'.repeat(200)])(
  'an agent may have the name %j',
  async (name) => {
    const world = fileWorld()
    const subject = load({ ...copilot(`name: ${JSON.stringify(name)}`, {}), gives: { name } })
    const team = place({
      subject,
      depth: 3,
      lines: [call(read), finish],
      ids: sessionIds,
      engine: await world.open(),
      clock: world.clock,
    })
    expect(await run(team, { subject, depth: 3 })).toMatchObject({ status: 'completed', sessions: 4 })
    expect(team.models.requests.find((request) => request.agent === 'b')?.system).toContain(
      name.replaceAll('"', '"'),
    )
    expect(await firstResult(team, name)).toMatchObject({ content: 'did it' })
    await world.dispose()
  },
)
