import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { foldEntries } from '@cadre/core'
import { call, createFakeClock, createMemoryEngine, createTestTeam, say } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { countingTools } from './tools.ts'
import { fileWorld } from './worlds.ts'

const never = new AbortController().signal
const work = (agentName: string) =>
  ['delegateWork', { agentName, workDescription: 'w', reportExpectations: 'r' }] as const

/** A team on real files, and the path of its only session's file. */
async function onFiles(options: Partial<Parameters<typeof createTestTeam>[0]>) {
  const world = fileWorld()
  onTestFinished(() => world.dispose())
  const { tools } = countingTools()
  const team = createTestTeam({
    agents: [{ name: 'solo' }],
    lanes: {},
    tools,
    clock: world.clock,
    engine: await world.open(),
    ...options,
  })
  return { team, file: join(world.folder, 'sessions', 'solo-1.session.yaml'), world }
}

describe('a person’s addition to a session file', () => {
  test('while the last reply is in progress is answered, and comes after that reply', async () => {
    let path = ''
    const { team, file } = await onFiles({
      lanes: {
        solo: [
          () => {
            appendFileSync(path, '  - role: user\n    content: also do the tests\n')
            return say('done without having seen it')
          },
          say('and the tests'),
        ],
      },
    })
    path = file
    expect(await team.report({ agent: 'solo', work: 'w' })).toMatchObject({
      status: 'completed',
      text: 'and the tests',
    })
    expect(team.models.requests[1]?.messages.map((message) => message.content)).toEqual([
      'w',
      'done without having seen it',
      'also do the tests',
    ])
  })

  test('while a reply is pending is counted once in the size of the next request', () => {
    const at = (seq: number) => ({ seq, timestamp: '2026-11-15T00:00:00.000Z' })
    const told = 'x'.repeat(1_000)
    const state = foldEntries(
      [
        { role: 'user', content: 'w', ...at(1) },
        { role: 'user', content: told, ...at(2) },
        { role: 'assistant', content: 'y', asked: 1, usage: { input: 9, output: 1 }, ...at(3) },
      ],
      'solo-1',
    )
    expect(state.messages.map(({ content }) => content)).toEqual(['w', 'y', told])
    const overhead = 20
    expect(state.characters).toBe(1 + 1 + told.length + 3 * overhead)
    expect(state.measured).toEqual({ tokens: 9, characters: 1 + overhead })
  })

  test('while a call is open never comes between the call and its result', async () => {
    let path = ''
    const { team, file } = await onFiles({
      lanes: {
        solo: [
          () => {
            queueMicrotask(() => {})
            return call(['look', { path: 'a' }], ['look', { path: 'b' }])
          },
          say('done'),
        ],
      },
      rules: [
        {
          by: 'policy',
          name: 'edits the file',
          judge: ({ input }) => {
            if ((input as { path: string }).path === 'b')
              appendFileSync(path, '  - role: user\n    content: one more thing\n')
            return undefined
          },
        },
      ],
    })
    path = file
    await team.report({ agent: 'solo', work: 'w' })
    expect(team.models.requests[1]?.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool_result',
      'tool_result',
      'user',
    ])
  })

  test('to a completed session continues it', async () => {
    const { team, file } = await onFiles({ lanes: { solo: [say('first'), say('second')] } })
    const report = await team.report({ agent: 'solo' })
    appendFileSync(file, '  - role: user\n    content: and now?\n')
    expect(await team.orchestrator.resume(report.session, {}, never)).toMatchObject({
      report: { status: 'completed', text: 'second' },
    })
  })
})

describe('a person’s removal from a session file', () => {
  test('while a reply is in progress discards that reply', async () => {
    let path = ''
    let rewound = false
    const { team, file } = await onFiles({
      lanes: {
        solo: [
          call(['look', { path: 'a' }]),
          () => {
            if (rewound) return say('an answer to what is there')
            rewound = true
            writeFileSync(path, readFileSync(path, 'utf8').replace(/ {2}- seq: 2\n[\s\S]*/, ''))
            return say('an answer to what is gone')
          },
        ],
      },
    })
    path = file
    const report = await team.report({ agent: 'solo', work: 'w' })
    expect(report).toMatchObject({ status: 'completed', text: 'an answer to what is there' })
    expect(team.models.requests.at(-1)?.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool_result',
    ])
  })

  test('from a completed session continues it from the rest', async () => {
    const { team, file } = await onFiles({ lanes: { solo: [say('first')] } })
    const report = await team.report({ agent: 'solo' })
    writeFileSync(file, readFileSync(file, 'utf8').replace(/ {2}- seq: 2\n[\s\S]*/, ''))
    expect(await team.orchestrator.resume(report.session, {}, never)).toMatchObject({
      report: { status: 'completed', text: 'first' },
    })
    expect(team.models.requests).toHaveLength(2)
  })
})

test('a child with an unreadable journal stops the run, which continues when it is fixed', async () => {
  const stop = new AbortController()
  const { team, world } = await onFiles({
    agents: [{ name: 'solo' }, { name: 'worker' }],
    lanes: {
      solo: [call(work('worker')), say('ok')],
      worker: [
        () => {
          if (stop.signal.aborted) return call(['reportOut', { report: 'r' }])
          queueMicrotask(() => stop.abort())
          return 'hang'
        },
      ],
    },
  })
  const report = await team.report({ agent: 'solo' }, stop.signal)
  expect(report).toMatchObject({ status: 'cancelled', sessions: 2 })
  const child = join(world.folder, 'sessions', 'worker-2.session.yaml')
  const whole = readFileSync(child, 'utf8')
  writeFileSync(child, `${whole}  - role: [bad\n`)
  const broken = await team.orchestrator.resume(report.session, {}, never)
  expect(broken).toMatchObject({
    report: {
      status: 'error',
      notices: [{ code: 'corrupt', message: expect.stringMatching(/worker-2\.session\.yaml:\d+/) }],
    },
  })
  writeFileSync(child, whole)
  expect(await team.orchestrator.resume(report.session, {}, never)).toMatchObject({
    report: { status: 'completed', text: 'ok' },
  })
})

test('the cost of a finished child counts after an interruption, even before its parent has recorded it', async () => {
  const clock = createFakeClock()
  const engine = createMemoryEngine({ clock })
  const stop = new AbortController()
  const dear = { input: 2_000, output: 4_000 }
  const options = {
    clock,
    agents: [{ name: 'lead' }, { name: 'slow' }, { name: 'quick' }],
    model: { maxOutput: 4_000 },
    limits: { budget: { tokens: 14_000 } },
    lanes: {
      lead: [call(work('slow'), work('quick')), say('too much')],
      slow: [
        () =>
          stop.signal.aborted ? { ...call(['reportOut', { report: 's' }]), usage: dear } : ('hang' as const),
      ],
      quick: [{ ...call(['reportOut', { report: 'q' }]), usage: dear }],
    },
  }
  const first = createTestTeam({ ...options, engine })
  const push = first.events.push.bind(first.events)
  first.events.push = (...events) => {
    if (events.some((event) => event.type === 'session.ended' && event.report.agent === 'quick'))
      queueMicrotask(() => stop.abort())
    return push(...events)
  }
  const { session } = await first.report({ agent: 'lead' }, stop.signal)
  const second = createTestTeam({
    ...options,
    engine: createMemoryEngine({ clock, records: engine.records }),
  })
  const result = await second.orchestrator.resume(session, {}, never)
  if (result.kind !== 'report') throw new Error(JSON.stringify(result))
  const { status, notices } = result.report
  expect([status, notices?.at(-1)?.code]).toEqual(['incomplete', 'budget_exceeded'])
})

test('only an accepted report prevents later calls from running', async () => {
  const { done, tools } = countingTools()
  const team = createTestTeam({
    agents: [{ name: 'lead' }, { name: 'worker' }],
    tools,
    lanes: {
      lead: [
        call(['reportOut', { report: 'not mine to give' }], ['note', { text: 'one' }]),
        call(work('worker')),
        say('ok'),
      ],
      worker: [
        call(['reportOut', { report: ' ' }], ['note', { text: 'two' }]),
        call(['reportOut', { report: 'r' }]),
      ],
    },
  })
  await team.report({ agent: 'lead' })
  expect(done).toEqual(['note one', 'note two'])
})

test('background children continue when a failed session is resumed', async () => {
  let down = true
  const team = createTestTeam({
    agents: [{ name: 'lead' }, { name: 'worker' }],
    lanes: {
      lead: [
        call(['delegate_task', { subagent_type: 'worker', prompt: 'x' }]),
        () => (down ? { kind: 'failed', code: 'backend', message: 'down' } : say('waiting')),
        say('done'),
      ],
      worker: [() => (down ? 'hang' : say('the result'))],
    },
  })
  const report = await team.report({ agent: 'lead' })
  expect(report.status).toBe('error')
  down = false
  expect(await team.orchestrator.resume(report.session, {}, never)).toMatchObject({
    report: { status: 'completed', text: 'done' },
  })
  expect(team.models.requests.at(-1)?.messages.at(-1)?.content).toContain('the result')
})

test('an agent whose model has answered did start, whatever the result', async () => {
  const free = { input: 0, output: 0 }
  const team = createTestTeam({
    agents: [{ name: 'solo', models: ['other'] }],
    model: { catalogue: ['scripted', 'other'] },
    lanes: { solo: [say('', free), say('', free)], plain: [say('no')] },
  })
  expect(await team.report({ agent: 'solo' })).toMatchObject({ status: 'error', agent: 'solo' })
})

test('a misspelt tool is reported with its file', async () => {
  const { tools } = countingTools()
  const source = { path: '.github/agents/solo.agent.md', dialect: 'copilot' }
  const team = createTestTeam({
    agents: [{ name: 'solo', tools: { kind: 'list', names: ['lok', 'agent'] }, source }],
    tools,
    lanes: { solo: [say('x')] },
  })
  const report = await team.report({ agent: 'solo' })
  expect(report.notices?.map((notice) => notice.message)).toEqual([
    expect.stringMatching(/solo\.agent\.md: there is no tool named "lok". Did you mean look/),
  ])
})
