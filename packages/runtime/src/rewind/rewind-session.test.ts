import { readFileSync } from 'node:fs'
import { CadreError } from '@cadre/core'
import { holdLease } from '@cadre/home'
import { expect, it } from 'vitest'
import {
  dead,
  pathOf,
  said,
  say,
  temporaryHome,
  testEngine,
} from '../../../journal/src/engine/engine.spec-helpers.ts'
import { specOf } from '../../../journal/src/format/journal.spec-helpers.ts'
import { rewindSession } from './rewind-session.ts'

it('removes entries of a killed process for good, even if the power fails afterwards', async () => {
  const home = temporaryHome()
  const spec = specOf('lead-1')
  const first = await testEngine(home)
  const begun = await first.open(spec)
  await say(begun, 'one', true)
  await begun.end({ kind: 'suspended', questions: [] })
  await first.close()
  const killed = await testEngine(home, { identity: dead })
  const run = await killed.open(spec)
  for (const text of ['two', 'three']) await say(run, text, true)
  // The process is gone, and has left its segments.
  const last = (await killed.read('lead-1'))?.entries.at(-1)?.seq ?? 0
  const preview = await rewindSession(home, { spec, seq: last, dryRun: true })
  expect(preview).toEqual({ seq: last, removed: 1, children: [], commits: [], files: [] })
  await rewindSession(home, { spec, seq: last })
  const next = await testEngine(home, { identity: { boot: 'after' } })
  expect(said((await next.read('lead-1'))?.entries)).toEqual(['one', 'two'])
})

it('changes nothing while another process holds the tree, or if the caller has seen other bytes', async () => {
  const home = temporaryHome()
  const spec = specOf('lead-1')
  const engine = await testEngine(home)
  const run = await engine.open(spec)
  for (const text of ['one', 'two']) await say(run, text, true)
  const before = readFileSync(pathOf(home, 'lead-1'))
  await expect(rewindSession(home, { spec, seq: 2 })).rejects.toMatchObject({ code: 'owned' })
  await run.end({ kind: 'suspended', questions: [] })
  await engine.close()
  const held = holdLease(home, 'lead-1')
  await expect(rewindSession(home, { spec, seq: 2 })).rejects.toMatchObject({ code: 'owned' })
  if (held.kind === 'held') held.lease.release()
  const check = () => {
    throw new CadreError('usage', 'other bytes')
  }
  await expect(rewindSession(home, { spec, seq: 2, check })).rejects.toThrow('other bytes')
  const withoutState = (bytes: Buffer) => bytes.subarray(bytes.indexOf('messages:')).toString()
  expect(withoutState(readFileSync(pathOf(home, 'lead-1')))).toBe(withoutState(before))
})
