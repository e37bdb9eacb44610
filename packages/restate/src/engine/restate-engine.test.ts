import type { SessionSpec } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { expect, test } from 'vitest'
import type { Sdk } from '../load-sdk.ts'
import type { TreeAttempt } from './invoke-tree.ts'
import { RestateEngine } from './restate-engine.ts'

const options = {
  sdk: {} as Sdk,
  clock: systemClock,
  // Nothing listens there: a request would reject with `backend`.
  ingress: 'http://127.0.0.1:9',
  place: 'test',
}

test('a closed engine gives up a tree that becomes live afterwards, so that another engine gets it', () => {
  const engine = new RestateEngine(options)
  let isDead = false
  const log = {
    die: () => {
      isDead = true
    },
  }
  engine.close()
  engine.live({ log } as unknown as TreeAttempt)
  expect(isDead).toBe(true)
  expect(engine.roots()).toEqual([])
})

test('a closed engine requests no trees', async () => {
  const engine = new RestateEngine(options)
  engine.close()
  const spec = { id: 'lead-1', root: 'lead-1' } as SessionSpec
  await expect(engine.open(spec)).rejects.toMatchObject({ code: 'owned' })
  expect(engine.lent.requested.size).toBe(0)
})
