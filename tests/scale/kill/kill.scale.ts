import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runKillSuite, sessionsPerTree } from './run-kill-suite.ts'

const isFull = process.env['CADRE_SCALE_FULL'] !== undefined
const runs = isFull ? 20 : 2
const size = isFull
  ? { trees: 50, calls: 12, kills: 14, serverKills: 3, stops: 3, serverStops: 1 }
  : { trees: 20, calls: 6, kills: 6, serverKills: 1, stops: 1, serverStops: 1 }
const firstSeed = Number(process.env['CADRE_SEED'] ?? 1)
let doubledByControl = 0

/** `npm run test:scale -- --full tests/scale/kill` runs it in full size, and `CADRE_SEED` chooses other runs. */
test.each(Array.from({ length: runs }, (_, n) => firstSeed + n))(
  'trees end and no effect happens twice while workers and the server are killed and stopped, seed %i',
  // On a busy machine, a run in full size takes a quarter of an hour.
  { timeout: isFull ? 3_600_000 : 900_000 },
  async (seed) => {
    const folder = mkdtempSync(join(tmpdir(), 'cadre-kill-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { control, disturbances, ...result } = await runKillSuite({ ...size, seed, folder })
    console.log(JSON.stringify({ seed, ...result, control, disturbances: disturbances.join(', ') }))
    expect(result).toMatchObject({
      ended: size.trees,
      completed: size.trees,
      sessions: size.trees * sessionsPerTree,
      twice: [],
      missing: [],
      wronglyTold: [],
      lostWakeups: [],
    })
    expect(result.approvals).toBe(size.trees)
    expect(result.editedWhileWaiting).toBe(size.trees)
    // Between their first and their last effect. Each tree is edited again while it waits.
    expect(result.toldInMiddle).toBeGreaterThan(size.trees / 2)
    expect(result.editedWhileRunning).toBeGreaterThan(0)
    expect(control.ended).toBe(size.trees)
    doubledByControl += control.twice
  },
)

test('the control doubles effects, so the suite can fail', () => {
  expect(doubledByControl).toBeGreaterThan(0)
})
