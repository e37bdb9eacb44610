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

test('stops repeating once the life is lost', async () => {
  const life = new AbortController()
  const reason = new CadreError('owned', 'lost')
  const work = async () => {
    life.abort(reason)
    throw new CadreError('backend', 'down')
  }
  await expect(retryUntil(work, life.signal)).rejects.toBe(reason)
})
