import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { amount, inDeep } from '../support/amount.ts'
import { createPlannedWorld, type Plan, type PlannedWorld, planText } from './planned-run.ts'

const read = { tool: 'read_file', input: { path: 'known.txt' } }
const send = (to: string, text: string) => ({ tool: 'send_message', input: { to, text } })

/** Records a run, and replays it: what differs. */
async function differences(world: PlannedWorld, session: string): Promise<unknown> {
  return (await world.replay(await world.record(session))).differences
}

test('a team whose members write to their lead and to each other, and are woken by messages', async () => {
  const world = createPlannedWorld()
  const runtime = await world.open()
  const members = [
    {
      name: 'first',
      agent: 'b',
      plan: { rounds: [{ calls: [read] }, { calls: [send('second', 'Your turn.')] }], end: 'First is done.' },
    },
    {
      name: 'second',
      agent: 'c',
      plan: {
        rounds: [{ calls: [read] }, { calls: [send('lead', 'I have begun.')] }],
        end: 'Second is done.',
      },
    },
    {
      name: 'third',
      agent: 'b',
      plan: { rounds: [{ calls: [] }, { calls: [read] }], end: 'Third is done.' },
    },
  ]
  const plan: Plan = {
    rounds: [
      { calls: [{ team: 'crew', members }] },
      { calls: [] },
      { calls: [send('third', 'More work.'), read] },
      { calls: [] },
      { calls: [{ tool: 'delete_team', input: { name: 'crew' } }] },
    ],
    end: 'The team is done.',
  }
  for (let run = 0; run < amount({ usual: 1, deep: 20 }); run++) {
    const result = await runtime.run({ agent: 'a', work: planText(plan) })
    expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', sessions: 4 } })
    const session = result.kind === 'report' ? result.report.session : ''
    expect(await differences(world, session)).toEqual([])
  }
  await runtime.close()
})

test('a message to a running session, and one that continues the conversation', async () => {
  const world = createPlannedWorld()
  const told: Promise<boolean>[] = []
  const runtime = await world.open({
    onEvent(event) {
      if (event.type === 'call.settled' && told.length === 0)
        told.push(runtime.orchestrator.tell(event.session, { content: 'Also think of the tests.' }))
    },
  })
  const plan: Plan = { rounds: [{ calls: [read] }, { calls: [read] }], end: 'Done.' }
  const result = await runtime.run({ agent: 'a', work: planText(plan) })
  const session = result.kind === 'report' ? result.report.session : ''
  expect(await told[0]).toBe(true)
  const signal = new AbortController().signal
  await runtime.orchestrator.resume(session, { work: 'And the documentation?' }, signal)
  const fixture = await world.record(session)
  expect(JSON.stringify(fixture)).toContain('Also think of the tests.')
  expect((await world.replay(fixture)).differences).toEqual([])
  await runtime.close()
})

test('older rounds were summarised, by Cadre and by a person', async () => {
  const world = createPlannedWorld({ window: 3_000 })
  const runtime = await world.open()
  world.write('long.txt', 'A long line of text that fills the window of the model.\n'.repeat(400))
  const long = { tool: 'read_file', input: { path: 'long.txt' } }
  const plan: Plan = { rounds: [{ calls: [long] }, { calls: [long] }, { calls: [long] }], end: 'Done.' }
  const result = await runtime.run({ agent: 'a', work: planText(plan) })
  const session = result.kind === 'report' ? result.report.session : ''
  const signal = new AbortController().signal
  await runtime.orchestrator.compact(session, signal)
  await runtime.orchestrator.resume(session, { work: 'Go on.' }, signal)
  const fixture = await world.record(session)
  const summaries = fixture.sessions[0]?.entries.filter(
    (entry) => 'type' in entry && entry.type === 'context.compacted',
  )
  expect(summaries?.length).toBeGreaterThan(1)
  expect((await world.replay(fixture)).differences).toEqual([])
  await runtime.close()
})

test('a run that was stopped, and the same run after it was resumed', async () => {
  const world = createPlannedWorld()
  const runtime = await world.open()
  const child: Plan = {
    rounds: [{ calls: [read] }, { calls: [read], hangs: true }],
    end: 'The child is done.',
  }
  const plan: Plan = {
    rounds: [
      {
        calls: [
          { delegate: 'b', plan: child, wait: true },
          { delegate: 'b', plan: { rounds: [{ calls: [read] }], end: 'So is this one.' }, wait: true },
        ],
      },
    ],
    end: 'Done.',
  }
  const stop = new AbortController()
  const running = runtime.run({ agent: 'a', work: planText(plan) }, stop.signal)
  await world.hangs
  const [root] = await runtime.list().then((all) => all.filter(({ parent }) => parent === undefined))
  const session = root?.id ?? ''
  await expect(world.record(session)).rejects.toThrow(
    /is running in process \d+\. Record it when it has ended/,
  )
  stop.abort()
  expect(await running).toMatchObject({ report: { status: 'cancelled' } })
  expect(await differences(world, session)).toEqual([])
  world.release()
  const resumed = await runtime.orchestrator.resume(session, {}, new AbortController().signal)
  expect(resumed).toMatchObject({ report: { status: 'completed', sessions: 3 } })
  expect(await differences(world, session)).toEqual([])
  await runtime.close()
})

test.each([
  ['has ended', 'completed', false],
  ['is running', 'cancelled', true],
] as const)('a model that fails when a background session %s', async (_, status, hangs) => {
  const world = createPlannedWorld()
  const runtime = await world.open()
  const background: Plan = { rounds: [{ calls: [read] }, { calls: [read], hangs }], end: 'It is done.' }
  const plan: Plan = {
    rounds: [{ calls: [{ delegate: 'd', wait: false, plan: background }] }, { calls: [], fails: 'late' }],
    end: '',
  }
  const result = await runtime.run({ agent: 'a', work: planText(plan) })
  expect(result).toMatchObject({ kind: 'report', report: { status: 'error', sessions: 2 } })
  const child = (await runtime.list()).find(({ parent }) => parent !== undefined)
  expect(child).toMatchObject({ outcome: status })
  const session = result.kind === 'report' ? result.report.session : ''
  expect(await differences(world, session)).toEqual([])
  await runtime.close()
})

inDeep('a session file that a person edited', async () => {
  const world = createPlannedWorld()
  const runtime = await world.open()
  const plan: Plan = {
    rounds: [{ calls: [read, { delegate: 'b', plan: { rounds: [], end: 'Seen.' }, wait: true }] }],
    end: 'Done.',
  }
  const result = await runtime.run({ agent: 'a', work: planText(plan) })
  const session = result.kind === 'report' ? result.report.session : ''
  const file = runtime.fileOf(session)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('Seen.')
  writeFileSync(file, text.replaceAll('Seen.', 'Seen, and corrected.'))
  await runtime.orchestrator.resume(session, { work: 'Look again.' }, new AbortController().signal)
  const fixture = await world.record(session)
  expect(JSON.stringify(fixture)).toContain('and corrected')
  expect((await world.replay(fixture)).differences).toEqual([])
  await runtime.close()
})

inDeep('sessions that write at the same time, each in its own workspace', async () => {
  const world = createPlannedWorld()
  world.write('.gitignore', '.cadre\n.config\n')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=ann', '-c', 'user.email=ann@example.com', ...args], {
      cwd: world.folder,
    })
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'Begin')
  const runtime = await world.open()
  const writes = (file: string): Plan => ({
    rounds: [
      { calls: [{ tool: 'write_file', input: { path: file, content: 'written\n' } }] },
      { calls: [read] },
    ],
    end: `Wrote ${file}.`,
  })
  const plan: Plan = {
    rounds: [
      {
        calls: [
          { delegate: 'b', plan: writes('one.txt'), wait: true },
          { delegate: 'c', plan: writes('two.txt'), wait: false },
        ],
      },
    ],
    end: 'Done.',
  }
  const result = await runtime.run({ agent: 'a', work: planText(plan) })
  const session = result.kind === 'report' ? result.report.session : ''
  const fixture = await world.record(session)
  expect(fixture.sessions.map(({ isolation }) => isolation?.kind)).toEqual([undefined, 'own', 'own'])
  expect(JSON.stringify(fixture)).not.toContain(world.folder)
  execFileSync('rm', ['-f', 'one.txt', 'two.txt'], { cwd: world.folder })
  expect((await world.replay(fixture)).differences).toEqual([])
  expect(existsSync(path.join(world.folder, 'one.txt'))).toBe(false)
  await runtime.close()
})
