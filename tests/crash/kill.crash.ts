import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { QuestionId } from '@cadre/core'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { copyFolder } from './copy-folder.ts'
import { seed } from './seed.ts'
import { sweep } from './sweep.ts'
import { type End, effectsOf, inFreshFolder, inFreshHome, type Play, victimsOf } from './victims.ts'

const victims = victimsOf('team')
const effects = 'launch rocket,mark one'

test('killed at every point, a run resumes to the same report, and no effect happens twice', async () => {
  const whole = await inFreshHome(async (home) => {
    const end = await victims.alone(home, ['run'])
    expect(effectsOf(home).join()).toBe(effects)
    return end
  })
  expect(whole.report?.status).toBe('completed')
  let doubts = 0
  let untouched = 0
  const { points, killed, faults } = await sweep(victims, {
    args: ['run'],
    async check(home, play) {
      const { end, asked } = await finish(home, play)
      doubts += asked
      if (end.kind === 'never-started') {
        untouched += 1
        return effectsOf(home).map((effect) => `${effect} without a session`)
      }
      const isSame = JSON.stringify(comparable(end)) === JSON.stringify(comparable(whole))
      return [...(isSame ? [] : [`another report: ${JSON.stringify(end)}`]), ...faultsOf(home)]
    },
  })
  console.log(
    `seed ${seed}: ${points} points, ${killed} of them killed a process as well; ${doubts} calls in doubt were put before a person, ${untouched} times there was no record yet`,
  )
  expect(faults).toEqual([])
  expect(points).toBeGreaterThan(100)
})

test('the effect happens once if the process is killed at any point of a second attempt', async () => {
  await inFreshFolder(async (prepared) => {
    await prepareSecondTry(prepared)
    let asked = 0
    const { points, killed, faults } = await sweep(victims, {
      prepared,
      args: ['resume'],
      async check(home, play) {
        const finished = await finish(home, play)
        asked += finished.asked
        const isDone = finished.end.report?.status === 'completed'
        return [...(isDone ? [] : [JSON.stringify(finished.end)]), ...faultsOf(home)]
      },
    })
    console.log(
      `seed ${seed}: a second try, ${points} points, ${killed} of them killed a process as well; ${asked} further questions`,
    )
    expect(faults).toEqual([])
    expect(points).toBeGreaterThan(20)
    expect(asked).toBeGreaterThan(0)
  })
})

/** Creates a home with a call in doubt that has not happened, and a person's decision to run it again. */
function prepareSecondTry(prepared: string): Promise<void> {
  return inFreshFolder(async (snapshots) => {
    const { points } = await inFreshHome((home) => victims.recorded(home, ['run'], snapshots))
    for (let at = 1; at <= points; at++) {
      const home = path.join(snapshots, String(at), 'home')
      const [question] = (await victims.here(home, ['resume'])).questions ?? []
      if (question === undefined || effectsOf(home).includes('launch rocket')) continue
      await answer(home, victims.here, question, 'again')
      return copyFolder(path.dirname(home), prepared)
    }
    throw new Error(`of ${points} points none leaves a call in doubt`)
  })
}

function answer(home: string, play: Play, { session, name }: QuestionId, decision: string): Promise<End> {
  return play(home, ['answer', session, name, decision])
}

/** Resumes until there is a report, and answers for each call in doubt according to its real effect. */
async function finish(home: string, play: Play): Promise<{ end: End; asked: number }> {
  let asked = 0
  for (let tries = 0; tries < 6; tries++) {
    const end = await play(home, ['resume'])
    if (end.kind !== 'waiting') return { end, asked }
    for (const question of end.questions ?? []) {
      asked += 1
      const decision = effectsOf(home).includes('launch rocket') ? 'done' : 'again'
      await answer(home, play, question, decision)
    }
  }
  throw new Error('still waiting for a person')
}

/** Effects that happened twice or never, and errors in the journals. */
function faultsOf(home: string): string[] {
  const found = effectsOf(home).join()
  return [...(found === effects ? [] : [`effects ${found}`]), ...unsettled(home)]
}

/** Calls that were settled twice or never, read with an independent YAML parser. */
function unsettled(home: string): string[] {
  return readdirSync(path.join(home, 'sessions'))
    .filter((file) => file.endsWith('.session.yaml'))
    .flatMap((file) => {
      const { messages, status } = parse(readFileSync(path.join(home, 'sessions', file), 'utf8'))
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

function comparable({ report }: End) {
  return {
    status: report?.status,
    text: report?.text,
    usage: report?.usage,
    sessions: report?.sessions,
    calls: report?.calls,
  }
}
