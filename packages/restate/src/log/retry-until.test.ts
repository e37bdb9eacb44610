import { CadreError } from '@cadre/core'
import { expect, test } from 'vitest'
import { retryUntil } from './retry-until.ts'

const never = new AbortController().signal

test('repeats work while the server cannot be reached, and nothing else', async () => {
  let tries = 0
  const work = async () => {
    tries += 1
    if (tries < 3) throw new CadreError('backend', 'down')
    return 'done'
  }
  expect(await retryUntil(work, never)).toBe('done')
  expect(tries).toBe(3)
  const broken = () => Promise.reject(new CadreError('corrupt', 'broken'))
  await expect(retryUntil(broken, never)).rejects.toMatchObject({ code: 'corrupt' })
})

test('does not wait for an answer that never comes once the life is lost', async () => {
  const life = new AbortController()
  const waiting = retryUntil(() => new Promise<never>(() => {}), life.signal)
  const reason = new CadreError('owned', 'lost')
  life.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  await expect(retryUntil(async () => 'done', life.signal)).rejects.toBe(reason)
})
