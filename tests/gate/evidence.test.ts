import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AgentDefinition, LifecycleEvent, Report, Rule, SessionSpec, Tool, WireCall } from '@cadre/core'
import { createEvidence, createPathResolver, createRoleRule } from '@cadre/gate'
import { call, createTestTeam, type Line, say, type TestTeamOptions } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { worlds } from '../engine/worlds.ts'
import { boundaryTools, createWorkspace } from './support/boundary-team.ts'

const places = createPathResolver()
const own = '.github/hooks/artifacts/researcher.md'
const full = '## Sources\na.js\n\n## Findings\nIt is there.\n'
const half = '## Sources\na.js\n\n## Findings\n'
const researcher = {
  name: 'researcher',
  boundary: { writes: 'artifact', commands: 'none' },
  requiredSections: ['Sources', 'Findings'],
} as const satisfies Partial<AgentDefinition>
const save = (content: string) => call(['save', { path: own, content }])
const delegate = (name: string) =>
  ['delegate_task', { description: 'd', prompt: 'p', subagent_type: name, wait_for_result: true }] as const

function promisedSections(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve: () => resolve() }
}

function team(lanes: Record<string, readonly Line[]>, options: Partial<TestTeamOptions> = {}) {
  const { reviewer, onLifecycleEvent } = createEvidence({ places })
  return createTestTeam({
    agents: [{ name: 'lead', delegates: { kind: 'all' } }, researcher],
    tools: boundaryTools,
    rules: [createRoleRule({ places })],
    reviewers: [reviewer],
    onLifecycleEvent,
    lanes,
    ...options,
  })
}

/** What the gate sent back to a session, and how it ended. */
async function run(workspace: string, lane: readonly Line[], options: Partial<TestTeamOptions> = {}) {
  const one = team({ researcher: lane }, options)
  const report = await one.report({ agent: 'researcher', workspace })
  const told = one.events.flatMap((event) => (event.type === 'message.added' ? [event.text] : []))
  return { status: report.status, told, sections: report.sections }
}

test('an artifact without a section sends the worker back with the list, like a report', async () => {
  const { path, read } = createWorkspace()
  const ended = await run(path, [save(half), say(full), save(full), say(full)])
  expect(ended.status).toBe('completed')
  expect(ended.told).toEqual([expect.stringContaining(`The artifact ${own} lacks these sections: Findings.`)])
  expect(ended.sections).toEqual({ Sources: 'a.js', Findings: 'It is there.' })
  expect(read(own)).toBe(full)
  const report = await run(createWorkspace().path, [save(full), say(half), say(full)])
  expect(report.told).toEqual([expect.stringContaining('The report lacks these sections: Findings.')])
})

test('a worker that never completes it is marked, not asked forever', async () => {
  const lane = [save('nothing'), ...Array.from({ length: 4 }, () => say(full))]
  const ended = await run(createWorkspace().path, lane)
  expect(ended.status).toBe('incomplete')
  expect(ended.told).toHaveLength(3)
})

test('a worker without an artifact is judged by its report', async () => {
  expect(await run(createWorkspace().path, [say(full)])).toMatchObject({ status: 'completed', told: [] })
})

test('an artifact of an earlier run is neither evidence nor an error, and is deleted', async () => {
  const stale = createWorkspace({ [own]: full })
  const ended = await run(stale.path, [say(half), say(full)])
  expect(ended.told).toEqual([expect.stringContaining('The report lacks these sections: Findings.')])
  expect(existsSync(stale.at(own))).toBe(false)
  const faulty = createWorkspace({ [own]: half })
  expect(await run(faulty.path, [say(full)])).toMatchObject({ status: 'completed', told: [] })
})

test('nothing is deleted through a link, in a read-only run, or for an agent that writes nothing', async () => {
  const linked = createWorkspace({ 'notes.md': 'mine', '.github/hooks/artifacts/x': '' })
  symlinkSync(linked.at('notes.md'), linked.at(own))
  await run(linked.path, [say(full)])
  expect(linked.read('notes.md')).toBe('mine')
  expect(existsSync(linked.at(own))).toBe(true)

  const kept = createWorkspace({ [own]: full })
  await run(kept.path, [say(full)], { agents: [{ ...researcher, boundary: { writes: 'none' } }] })
  await run(kept.path, [say('x')], { agents: [{ name: 'researcher' }] })
  const reading = team({ researcher: [say(full)] })
  await reading.report({ agent: 'researcher', workspace: kept.path, controls: { readOnly: true } })
  expect(kept.read(own)).toBe(full)

  const folder = createWorkspace()
  mkdirSync(folder.at(own), { recursive: true })
  expect(await run(folder.path, [say(full)])).toMatchObject({ status: 'completed' })
})

test('only the content that the call itself left counts, not a concurrent write', async () => {
  const workspace = createWorkspace()
  const overwritten: Line = () => {
    writeFileSync(workspace.at(own), half)
    return say(full)
  }
  expect(await run(workspace.path, [save(full), overwritten])).toMatchObject({
    status: 'completed',
    told: [],
  })
  // Overwritten between the call and the check: then its author is unknown.
  const tools = boundaryTools.map((tool) =>
    tool.name === 'save'
      ? {
          ...tool,
          run: async (...given: Parameters<typeof tool.run>) => {
            const result = await tool.run(...given)
            writeFileSync(workspace.at(own), half)
            return result
          },
        }
      : tool,
  )
  const raced = await run(workspace.path, [save(full), say(full)], { tools })
  expect(raced).toMatchObject({ status: 'completed', told: [] })
})

test('two concurrent workers of one agent are each judged by their own', async () => {
  const workspace = createWorkspace()
  const [wroteHalf, wroteFull] = [promisedSections(), promisedSections()]
  const sessions: string[] = []
  const isFirst = (session: string) => {
    if (!sessions.includes(session)) sessions.push(session)
    return sessions.indexOf(session) === 0
  }
  const one = team({
    lead: [call(delegate('researcher'), delegate('researcher')), say('ok')],
    researcher: [
      async ({ session }) => {
        if (isFirst(session)) return save(half)
        await wroteHalf.promise
        return save(full)
      },
      async ({ session }) => {
        if (!isFirst(session)) {
          wroteFull.resolve()
          return say(full)
        }
        wroteHalf.resolve()
        await wroteFull.promise
        // By now the other session has written the complete file.
        expect(workspace.read(own)).toBe(full)
        return say(full)
      },
      save(full),
      say(full),
    ],
  })
  await one.report({ agent: 'lead', workspace: workspace.path })
  const sentBack = one.events.filter(
    (event) => event.type === 'message.added' && event.text.includes('lacks these sections'),
  )
  expect(sentBack.map(({ session }) => session)).toEqual([sessions[0]])
  const ends = one.events.flatMap((event) => (event.type === 'session.ended' ? [event.report.status] : []))
  expect(ends).toEqual(['completed', 'completed', 'completed'])
})

test('a starting worker does not delete the artifact of another one of its kind', async () => {
  const workspace = createWorkspace()
  const { onLifecycleEvent } = createEvidence({ places })
  const [tool] = boundaryTools.filter(({ name }) => name === 'save') as [Tool]
  const tell = (session: string, moment: LifecycleEvent) =>
    onLifecycleEvent(
      moment,
      { id: session, agent: researcher, workspace: workspace.path } as unknown as SessionSpec,
      new AbortController().signal,
    )
  const input = { path: own, content: full }
  const wire: WireCall = { id: 'call_1', type: 'function', function: { name: 'save', arguments: '' } }
  const wrote: LifecycleEvent = {
    kind: 'call.settled',
    call: { call: wire, tool, input },
    outcome: 'done',
    content: 'saved',
  }
  const started: LifecycleEvent = { kind: 'session.started', source: 'startup' }
  await tell('a', started)
  workspace.write(own, full)
  await tell('a', wrote)
  await tell('b', started)
  expect(workspace.read(own)).toBe(full)
  await tell('a', { kind: 'session.ended', report: {} as Report })
  await tell('c', started)
  expect(existsSync(workspace.at(own))).toBe(false)
})

describe.each(worlds)('on $name', ({ create }) => {
  test.each([true, false])(
    'a resumed worker is judged by what it wrote before, if that is remembered: %s',
    async (remembered) => {
      const world = create()
      onTestFinished(() => world.dispose())
      const workspace = createWorkspace()
      const stamps = createWorkspace()
      const asks: Rule<string> = {
        by: 'policy',
        name: 'careful',
        immediate: true,
        judge: ({ tool }) =>
          tool.effect === 'execute'
            ? { kind: 'ask', by: 'policy', rule: 'careful', reason: 'look' }
            : undefined,
      }
      const open = async () => {
        const evidence = createEvidence({
          places,
          ...(remembered && { folder: stamps.at('evidence') }),
        })
        return createTestTeam({
          agents: [{ ...researcher, boundary: { writes: 'artifact', commands: 'copy' } }],
          tools: boundaryTools,
          rules: [createRoleRule({ places }), asks],
          reviewers: [evidence.reviewer],
          onLifecycleEvent: evidence.onLifecycleEvent,
          engine: await world.open(),
          clock: world.clock,
          lanes: {
            researcher: [
              save(half),
              call(['execute_command', { path: 'x' }]),
              say(full),
              ...(remembered ? [save(full), say(full)] : []),
            ],
          },
        })
      }
      const first = await open()
      expect((await first.run({ agent: 'researcher', workspace: workspace.path })).kind).toBe('waiting')
      await world.answer(
        { session: 'researcher-1', name: 'approval/call_2_0' },
        { decision: 'approve', by: 'ada' },
      )
      await world.close()
      const second = await open()
      const ended = await second.orchestrator.resume('researcher-1', {}, new AbortController().signal)
      expect(ended).toMatchObject({ report: { status: 'completed' } })
      const told = second.events.flatMap((event) => (event.type === 'message.added' ? [event.text] : []))
      expect(told.filter((text) => text.includes(`The artifact ${own} lacks`))).toHaveLength(
        remembered ? 1 : 0,
      )
      // A file from before the process ended is not mistaken for one of an earlier run.
      expect(workspace.read(own)).toBe(remembered ? full : half)
      expect(existsSync(stamps.at('evidence/researcher-1.sha256'))).toBe(false)
    },
  )
})
