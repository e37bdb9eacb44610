import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { QuestionId } from '@cadre/core'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type End, effectsOf, inFreshHome, inParallel, victim } from './victims.ts'

const run = victim('program.mjs')

test('killed at every point, a run resumes to the same report, and no effect happens twice', async () => {
  const whole = await inFreshHome(async (home) => {
    const end = await run(home, ['run'])
    return { end, effects: effectsOf(home) }
  })
  expect(whole.end.report?.status).toBe('completed')
  expect(whole.effects).toEqual(['launch rocket', 'mark one'])
  const points = Array.from({ length: whole.end.points }, (_, index) => index + 1)
  expect(points.length).toBeGreaterThan(100)
  const faults: string[] = []
  let doubts = 0
  let untouched = 0
  let spared = 0
  await inParallel(points, 3, async (at) => {
    await inFreshHome(async (home) => {
      const killed = await run(home, ['run'], at)
      if (killed.kind !== 'killed') {
        // Syncs of parallel children fall together differently each time, so one run has a point or two more than another.
        spared += 1
        if (killed.points >= at) faults.push(`point ${at}: was not killed but ended with ${killed.kind}`)
      }
      const { end, asked } = await finish(home)
      doubts += asked
      const effects = effectsOf(home)
      if (end.kind === 'never-started') {
        untouched += 1
        if (effects.length > 0) faults.push(`point ${at}: effects without a session: ${effects}`)
        return
      }
      if (JSON.stringify(same(end)) !== JSON.stringify(same(whole.end)))
        faults.push(`point ${at}: another report: ${JSON.stringify(end)}`)
      if (effects.join() !== whole.effects.join()) faults.push(`point ${at}: effects ${effects.join()}`)
      faults.push(...unsettled(home).map((fault) => `point ${at}: ${fault}`))
    })
  })
  console.log(
    `killed at ${points.length} points: ${doubts} calls in doubt were put before a person, ${untouched} kills came before the first record`,
  )
  expect(faults).toEqual([])
  expect(spared).toBeLessThan(points.length / 20)
}, 1_800_000)

test('the effect happens once when the process is killed at any point of a second try', async () => {
  await inFreshHome(async (prepared) => {
    // Killed at the first point whose call is in doubt and has not happened: the person has it run again.
    const asking = await firstDoubt(prepared)
    const count = await inCopyOf(prepared, async (home) => (await run(home, ['resume'])).points)
    const points = Array.from({ length: count }, (_, index) => index + 1)
    expect(points.length).toBeGreaterThan(20)
    const faults: string[] = []
    let asked = 0
    await inParallel(points, 3, async (at) => {
      await inCopyOf(prepared, async (home) => {
        await run(home, ['resume'], at)
        const finished = await finish(home)
        asked += finished.asked
        if (finished.end.report?.status !== 'completed')
          faults.push(`point ${at}: ${JSON.stringify(finished.end)}`)
        const effects = effectsOf(home)
        if (effects.join() !== 'launch rocket,mark one') faults.push(`point ${at}: effects ${effects.join()}`)
        faults.push(...unsettled(home).map((fault) => `point ${at}: ${fault}`))
      })
    })
    console.log(`${asking} run again, killed at ${points.length} points: ${asked} further questions`)
    expect(faults).toEqual([])
    expect(asked).toBeGreaterThan(0)
  })
}, 1_800_000)

/** Brings a home to where a call that has not happened is in doubt, and a person has said that it is to be run again. */
async function firstDoubt(prepared: string): Promise<string> {
  for (let at = 1; ; at++) {
    const question = await inFreshHome(async (home) => {
      if ((await run(home, ['run'], at)).kind !== 'killed') throw new Error('no point leaves a call in doubt')
      const end = await run(home, ['resume'])
      const [asked] = end.kind === 'waiting' ? (end.questions ?? []) : []
      if (asked === undefined || effectsOf(home).includes('launch rocket')) return undefined
      await answer(home, asked, 'again')
      cpSync(join(home, '..'), join(prepared, '..'), { recursive: true })
      return asked.name
    })
    if (question !== undefined) return question
  }
}

function inCopyOf<T>(prepared: string, work: (home: string) => Promise<T>): Promise<T> {
  return inFreshHome((home) => {
    cpSync(join(prepared, '..'), join(home, '..'), { recursive: true })
    return work(home)
  })
}

function answer(home: string, { session, name }: QuestionId, decision: string): Promise<End> {
  return run(home, ['answer', session, name, decision])
}

/** Resumes until there is a report, and tells of each call in doubt what the world knows of it. */
async function finish(home: string): Promise<{ end: End; asked: number }> {
  let asked = 0
  for (let tries = 0; tries < 6; tries++) {
    const end = await run(home, ['resume'])
    if (end.kind !== 'waiting') return { end, asked }
    for (const question of end.questions ?? []) {
      asked += 1
      const decision = effectsOf(home).includes('launch rocket') ? 'done' : 'again'
      await answer(home, question, decision)
    }
  }
  throw new Error('still waiting for a person')
}

/** Calls that were settled twice or never, read with a YAML parser that is not ours. */
function unsettled(home: string): string[] {
  return readdirSync(join(home, 'sessions'))
    .filter((file) => file.endsWith('.session.yaml'))
    .flatMap((file) => {
      const { messages, status } = parse(readFileSync(join(home, 'sessions', file), 'utf8'))
      const calls = messages.flatMap((entry: { tool_calls?: { id: string }[] }) =>
        (entry.tool_calls ?? []).map((one) => one.id),
      )
      const results = messages.flatMap((entry: { role: string; tool_call_id?: string }) =>
        entry.role === 'tool_result' ? [entry.tool_call_id] : [],
      )
      const seqs = messages.map((entry: { seq: number }) => entry.seq)
      const faults: string[] = []
      if (calls.join() !== results.join())
        faults.push(`${file}: calls ${calls.join()} but results ${results.join()}`)
      if (seqs.some((seq: number, index: number) => seq !== index + 1))
        faults.push(`${file}: entries are not numbered in order: ${seqs.join()}`)
      if (status !== 'completed') faults.push(`${file}: status ${status}`)
      return faults
    })
}

function same({ report }: End) {
  return {
    status: report?.status,
    text: report?.text,
    usage: report?.usage,
    sessions: report?.sessions,
    calls: report?.calls,
  }
}
