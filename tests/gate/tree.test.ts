import { type Entry, type RunResult, startedSessions } from '@cadre/core'
import { openHome, openTeams } from '@cadre/home'
import type { FileEngine } from '@cadre/journal'
import { call, countingIds, createTestTeam, defineAgent, type TestTeam } from '@cadre/testing'
import { createTools } from '@cadre/tools'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fileWorld } from '../engine/worlds.ts'
import { share } from '../support/amount.ts'
import { type Control, controls } from './tree-controls.ts'
import { createTreeFixture } from './tree-fixture.ts'
import { names, type Place, places } from './tree-places.ts'

const signal = () => new AbortController().signal
const write = ['write_file', { path: 'secret/plan.txt', content: 'x' }] as const

interface Tried {
  /** The journals' decisions about the call, in session order. */
  readonly decisions: readonly string[]
  /** The number of started calls that are not delegations. */
  readonly begun: number
  /** New or changed files. */
  readonly changed: readonly string[]
}

/** Plays a tree to its end, and rejects every question. A new engine reads the journals. */
async function play(place: Place, control: Partial<Control>): Promise<Tried> {
  const world = fileWorld()
  onTestFinished(() => world.dispose())
  const fixture = createTreeFixture(control)
  const before = fixture.files()
  const parts = control.agents?.(place) ?? {}
  const agents = names.map((name) => defineAgent({ name, delegates: { kind: 'all' }, ...parts[name] }))
  let reached: () => void = () => {}
  const there = new Promise<void>((resolve) => {
    reached = resolve
  })
  const ids = countingIds()
  const lanes = place.lanes(call(control.attempt ?? write), () => reached())
  const open = async (): Promise<TestTeam> => {
    const {
      rules,
      answerers,
      reviewers,
      onLifecycleEvent,
      places: at,
    } = await fixture.guard(agents, world.folder)
    return createTestTeam({
      agents,
      tools: createTools({ places: at, teams: true }),
      teams: openTeams(openHome({ home: world.folder, cwd: world.folder, env: {} }), { maxMessages: 100 }),
      engine: await world.open(),
      clock: world.clock,
      ids,
      lanes,
      rules,
      answerers,
      reviewers,
      ...(onLifecycleEvent && { onLifecycleEvent }),
      locate: (path, workspace) => at.locate(path, workspace),
    })
  }
  let team = await open()
  const stop = new AbortController()
  const set = control.controls && { controls: control.controls }
  const running = team.run({ agent: 'root', workspace: fixture.workspace, ...set }, stop.signal)
  let result: RunResult | undefined
  if (place.ending === 'died') await there
  else {
    if (place.ending === 'stopped') void there.then(() => stop.abort())
    result = await running
  }
  if (place.ending !== undefined) {
    await world.close()
    team = await open()
    const last = `${names[place.depth]}-${place.depth + 1}`
    result =
      place.ending === 'continued'
        ? await team.orchestrator.resume(last, { work: 'now do it' }, signal())
        : await team.orchestrator.resume('root-1', {}, signal())
  }
  for (let round = 0; result?.kind === 'waiting' && round < 10; round++) {
    for (const question of result.questions)
      await world.answer(question, { decision: 'reject', reason: 'no' })
    result = await team.orchestrator.resume(result.session, {}, signal())
  }
  expect(result?.kind).toBe('report')
  await world.close()
  const recorded = await read((await world.open()) as FileEngine)
  return { ...recorded, changed: fixture.files().filter((file) => !before.includes(file)) }
}

async function read(engine: FileEngine): Promise<Omit<Tried, 'changed'>> {
  const sessions = (await engine.list()).map(({ id }) => id).sort()
  const entries: Entry[] = []
  for (const id of sessions) entries.push(...((await engine.read(id))?.entries ?? []))
  const events = entries.flatMap((entry) => (entry.role === 'event' ? [entry] : []))
  const decided = events.filter(({ type }) => type === 'call.refused' || type === 'call.held')
  return {
    decisions: decided.map(({ type, by, rule }) => `${type?.slice(5)} by ${by}: ${rule}`),
    begun: events.filter((event) => event.type === 'call.started' && startedSessions(event).length === 0)
      .length,
  }
}

describe('without any control', () => {
  test.each(share(places, 3))('it is done $name', async (place) => {
    const { decisions, begun, changed } = await play(place, {})
    expect(decisions).toEqual([])
    expect(begun).toBe(place.tries)
    expect(changed).toEqual(['workspace/secret/plan.txt x'])
  })
})

// `npm test` tries every control in a ninth of the places, each time in others, and `npm run test:deep` in all of them.
describe.each(controls)('$name, set at the root', (control) => {
  const held = places.filter((place) => control.isOver?.(place) !== true)

  test.each(share(held, 18, controls.indexOf(control)))(
    'applies $name, and the journal names it',
    async (place) => {
      const { decisions, begun, changed } = await play(place, control)
      const expected = `${control.how} by ${control.by}: ${control.rule}`
      expect(decisions).toEqual(Array.from({ length: place.tries }, () => expected))
      expect(begun).toBe(0)
      expect(changed).toEqual([])
    },
  )
})
