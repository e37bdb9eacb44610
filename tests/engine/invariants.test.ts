import type { Entry, Report } from '@cadre/core'
import { call, createTestTeam, say, type TestTeam, type TestTeamOptions } from '@cadre/testing'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { amount } from '../support/amount.ts'
import { countingTools } from './tools.ts'
import { crashAt, type World, worlds } from './worlds.ts'

/** The team of these tests: a lead, three parallel children, then a dependent second round; the builder has effects. */
const agents = [{ name: 'lead' }, { name: 'scout' }, { name: 'builder' }, { name: 'critic' }]
const work = (agentName: string, workDescription: string) =>
  ['delegateWork', { agentName, workDescription, reportExpectations: 'all' }] as const
const lanes: TestTeamOptions['lanes'] = {
  lead: [
    call(work('scout', 'look around'), work('builder', 'build it'), work('critic', 'think of faults')),
    call(work('critic', 'check what was built')),
    say('everything is done'),
  ],
  scout: [
    call(['look', { path: 'a' }], ['look', { path: 'b' }]),
    call(['reportOut', { report: 'two files' }]),
  ],
  builder: [
    call(['note', { text: 'one' }], ['look', { path: 'a' }], ['launch', { what: 'rocket' }]),
    call(['reportOut', { report: 'built' }]),
  ],
  critic: [call(['reportOut', { report: 'fine' }])],
}

for (const { name, create } of worlds) {
  describe(`on ${name}`, () => {
    const open: World[] = []
    const world = () => {
      const made = create()
      open.push(made)
      return made
    }
    afterEach(async () => {
      for (const made of open.splice(0)) await made.dispose()
    })

    const team = async (place: World, options: Partial<TestTeamOptions> = {}): Promise<TestTeam> =>
      createTestTeam({ agents, lanes, engine: await place.open(), clock: place.clock, ...options })

    test('invariant 1: every call of a recorded reply is settled exactly once, before the next request', async () => {
      const { done, tools } = countingTools()
      const place = world()
      const run = await team(place, {
        tools,
        lanes: {
          lead: [
            call(
              ['note', { text: 'a' }],
              ['nothing', {}],
              ['note', '{not json'],
              ['note', { txt: 1 }],
              ['boom', {}],
              ['look', { path: 'x' }],
            ),
            say('done'),
          ],
        },
      })
      const report = await run.report({ agent: 'lead' })
      expect(report.status).toBe('completed')
      expect(done).toEqual(['note a'])
      const entries = await entriesOf(run, report.session)
      expectSettledOnce(entries)
      expect(results(entries).map((result) => result.outcome ?? 'done')).toEqual([
        'done',
        'refused',
        'failed',
        'failed',
        'failed',
        'done',
      ])
      expect(run.models.requests[1]?.messages).toHaveLength(8)
    })

    test('invariant 2: calls in one reply run in parallel and are recorded in call order', async () => {
      const place = world()
      const { tools } = countingTools()
      // The first child ends only after the second: sequentially, this would never end.
      let secondEnded: () => void = () => {}
      const second = new Promise<void>((resolve) => {
        secondEnded = resolve
      })
      const run = await team(place, {
        tools,
        lanes: {
          lead: [call(work('scout', 'slow'), work('builder', 'fast')), say('done')],
          scout: [
            async () => {
              await second
              return call(['reportOut', { report: 'slow one' }])
            },
          ],
          builder: [
            () => {
              secondEnded()
              return call(['reportOut', { report: 'fast one' }])
            },
          ],
        },
      })
      const report = await run.report({ agent: 'lead' })
      const entries = await entriesOf(run, report.session)
      expect(results(entries).map((result) => result.content)).toEqual([
        expect.stringContaining('slow one'),
        expect.stringContaining('fast one'),
      ])
    })

    test('invariant 3: a call that has an effect starts only after its start is durable', async () => {
      const place = world()
      const { tools } = countingTools()
      const engine = await place.open()
      const seen: string[] = []
      let durable = 0
      const run = createTestTeam({
        agents,
        clock: place.clock,
        lanes: { lead: [call(['look', { path: 'a' }]), call(['note', { text: 'x' }]), say('done')] },
        tools: tools.map((tool) => ({
          ...tool,
          run: (input, context, signal) => {
            seen.push(`${tool.name} after ${durable} durable records`)
            return tool.run(input, context, signal)
          },
        })),
        engine: {
          ...engine,
          attach: (runner) => engine.attach(runner),
          read: (id) => engine.read(id),
          open: async (spec) => {
            const session = await engine.open(spec)
            return {
              ...session,
              recorded: session.recorded,
              changes: () => session.changes(),
              step: async (step, work, options) => {
                const entries = await session.step(step, work, options)
                if (
                  (typeof options?.durable === 'function' ? options.durable() : options?.durable) &&
                  entries.some((entry) => entry.role === 'event' && entry.type === 'call.started')
                )
                  durable += 1
                return entries
              },
            }
          },
        },
      })
      await run.report({ agent: 'lead' })
      expect(seen).toEqual(['look after 0 durable records', 'note after 1 durable records'])
    })

    test('invariant 4: cancelling ends in cancelled reports for the session and all its descendants', async () => {
      const place = world()
      const { tools } = countingTools()
      const stop = new AbortController()
      const hangs = { count: 0 }
      const hanging = () => {
        if (++hangs.count === 2) queueMicrotask(() => stop.abort())
        return 'hang' as const
      }
      const run = await team(place, {
        tools,
        agents: [
          { name: 'lead' },
          { name: 'scout', delegates: { kind: 'all' } },
          { name: 'builder' },
          { name: 'critic' },
        ],
        lanes: {
          lead: [call(work('scout', 'a'), work('builder', 'b'))],
          scout: [call(work('critic', 'c'))],
          critic: [hanging],
          builder: [hanging],
        },
      })
      const report = await run.report({ agent: 'lead' }, stop.signal)
      expect(report.status).toBe('cancelled')
      const ended = run.events.filter((event) => event.type === 'session.ended')
      expect(ended.map((event) => `${event.report.agent} ${event.report.status}`).sort()).toEqual([
        'builder cancelled',
        'critic cancelled',
        'lead cancelled',
        'scout cancelled',
      ])
    })

    test('invariant 4: whatever is cancelled whenever, it ends, and resuming gives the report with no effect twice', async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 70 }), async (after) => {
          const place = create()
          const { done, tools } = countingTools()
          const stop = new AbortController()
          const first = await team(place, { tools })
          let events = 0
          const counting = createTestTeam({
            agents,
            lanes,
            tools,
            clock: place.clock,
            engine: first.engine,
            rules: [
              {
                by: 'policy',
                name: 'counter',
                judge: () => {
                  if (events++ === after) stop.abort()
                  return undefined
                },
              },
            ],
          })
          // Besides judging, counts every event, so that the stop can come at any point of the run.
          const push = counting.events.push.bind(counting.events)
          counting.events.push = (...added) => {
            if (events++ === after) stop.abort()
            return push(...added)
          }
          const report = await counting.report({ agent: 'lead' }, stop.signal)
          if (report.status === 'cancelled') {
            await place.close()
            const again = await team(place, { tools })
            const result = await again.orchestrator.resume(report.session, {}, new AbortController().signal)
            if (result.kind === 'waiting') {
              // Only calls that can be neither repeated nor checked may require a person.
              expect(result.questions.every(({ name }) => name.startsWith('doubt/'))).toBe(true)
            } else {
              expect(result.report).toMatchObject({ status: 'completed', text: 'everything is done' })
              // Nothing was abandoned: open calls at the stop were continued, and not reported to the model as cancelled.
              for (const entries of await sessionsBelow(again, report.session)) {
                expect(results(entries).filter((one) => one.outcome !== undefined)).toEqual([])
              }
            }
          }
          expect(new Set(done).size).toBe(done.length)
          await place.dispose()
        }),
        { numRuns: amount({ usual: 8, deep: 40 }) },
      )
    })

    test('invariant 5: a session read back from its journal continues exactly where it was, from any crash point', async () => {
      const whole = await runWhole(create)
      for (let at = 1; at <= whole.points; at += amount({ usual: 7, deep: 1 })) {
        const place = create()
        const { done, tools } = countingTools()
        const { engine, death } = crashAt(await place.open(), at)
        const first = await team(place, { tools, engine })
        const ended = first.report({ agent: 'lead' }).then(() => 'ended')
        const end = await Promise.race([death.died.then(() => 'died'), ended])
        expect(end, `point ${at} of ${whole.points}`).toBe('died')
        await place.close()
        const second = await team(place, { tools })
        const id = first.events[0]?.session ?? 'lead-1'
        const stored = await second.engine.read(id)
        if (stored === undefined) continue
        const report = await finish(second, place, id, done)
        expect(comparableReport(report), `point ${at}: ${JSON.stringify(report.notices)}`).toEqual(
          comparableReport(whole.report),
        )
        expect([...done].sort(), `point ${at}`).toEqual([...whole.done].sort())
        for (const session of await sessionsBelow(second, id)) expectSettledOnce(session)
        await place.dispose()
      }
    }, 120_000)

    test('invariant 6: a child can never do what the rules of its parent forbid', async () => {
      const place = world()
      const { done, tools } = countingTools()
      const seen: string[] = []
      const run = await team(place, {
        tools,
        agents: [{ name: 'lead' }, { name: 'scout', delegates: { kind: 'all' } }, { name: 'builder' }],
        lanes: {
          lead: [call(work('scout', 'a')), say('done')],
          scout: [call(work('builder', 'b')), call(['reportOut', { report: 'ok' }])],
          builder: [call(['note', { text: 'forbidden' }]), call(['reportOut', { report: 'refused' }])],
        },
        rules: [
          {
            by: 'policy',
            name: 'nobody writes',
            judge: ({ tool }, session) => {
              seen.push(`${session.agent.name} ${tool.name}`)
              return tool.effect === 'write'
                ? { kind: 'deny', by: 'policy', rule: 'nobody writes', reason: 'no writing here' }
                : undefined
            },
          },
        ],
      })
      const report = await run.report({ agent: 'lead' })
      expect(report.status).toBe('completed')
      expect(done).toEqual([])
      expect(seen).toEqual([
        'lead delegateWork',
        'scout delegateWork',
        'builder note',
        'builder reportOut',
        'scout reportOut',
      ])
    })
  })
}

async function runWhole(create: () => World): Promise<{ report: Report; done: string[]; points: number }> {
  const place = create()
  const { done, tools } = countingTools()
  const { engine, death } = crashAt(await place.open(), Number.POSITIVE_INFINITY)
  const run = createTestTeam({ agents, lanes, tools, engine, clock: place.clock })
  const report = await run.report({ agent: 'lead' })
  run.models.verify()
  await place.dispose()
  return { report, done, points: death.count() }
}

/** Resumes to the end, and answers for each effect in doubt according to its real effect. */
async function finish(run: TestTeam, place: World, id: string, done: readonly string[]): Promise<Report> {
  for (let tries = 0; tries < 5; tries++) {
    const result = await run.orchestrator.resume(id, {}, new AbortController().signal)
    if (result.kind === 'report') return result.report
    const decision = done.some((effect) => effect.startsWith('launch')) ? 'done' : 'again'
    for (const question of result.questions) await place.answer(question, { decision, by: 'the test' })
  }
  throw new Error('still waiting for a person after five answers')
}

async function entriesOf(run: TestTeam, id: string): Promise<readonly Entry[]> {
  return (await run.engine.read(id))?.entries ?? []
}

async function sessionsBelow(run: TestTeam, id: string): Promise<(readonly Entry[])[]> {
  const entries = await entriesOf(run, id)
  const children = entries.flatMap((entry) =>
    entry.role === 'event' && entry.child !== undefined ? [entry.child] : [],
  )
  const below = await Promise.all(children.map((child) => sessionsBelow(run, child)))
  return [entries, ...below.flat()]
}

function results(entries: readonly Entry[]) {
  return entries.flatMap((entry) => (entry.role === 'tool_result' ? [entry] : []))
}

function expectSettledOnce(entries: readonly Entry[]): void {
  const calls = entries.flatMap((entry) => (entry.role === 'assistant' ? (entry.tool_calls ?? []) : []))
  expect(results(entries).map((result) => result.tool_call_id)).toEqual(calls.map((one) => one.id))
}

/** What must be the same however often the run was interrupted. */
function comparableReport({ status, text, usage, sessions, calls }: Report) {
  return { status, text, usage, sessions, calls }
}
