import { expect, test } from 'vitest'
import { SharedScans } from './shared-scans.ts'

test('calls that wait for the lock share one scan, and later ones get the next', async () => {
  const seen: (readonly string[])[] = []
  let unlock = () => {}
  let lock = new Promise<void>((resolve) => {
    unlock = resolve
  })
  const looks = new SharedScans<string>(async (calls) => {
    await lock
    seen.push(calls())
    lock = Promise.resolve()
  })
  const first = ['a', 'b', 'c'].map((call) => looks.take(call))
  unlock()
  await Promise.all(first)
  await looks.take('d')
  expect(seen).toEqual([['a', 'b', 'c'], ['d']])
})

test('a call that arrives during a scan waits for another scan', async () => {
  const seen: (readonly string[])[] = []
  let late: Promise<void> | undefined
  const looks = new SharedScans<string>(async (calls) => {
    await Promise.resolve()
    seen.push(calls())
    late ??= looks.take('late')
  })
  await looks.take('early')
  await late
  expect(seen).toEqual([['early'], ['late']])
})

test('a shared scan that fails is repeated for each call, so that only one call fails', async () => {
  const looks = new SharedScans<string>(async (calls) => {
    await Promise.resolve()
    if (calls().includes('bad')) throw new Error('too many files')
  })
  const [good, bad, other] = await Promise.allSettled(
    ['good', 'bad', 'other'].map((call) => looks.take(call)),
  )
  expect(good?.status).toBe('fulfilled')
  expect(other?.status).toBe('fulfilled')
  expect(bad).toMatchObject({ status: 'rejected', reason: { message: 'too many files' } })
})

test('a lock that cannot be acquired fails the calls that wait for it', async () => {
  const looks = new SharedScans<string>(() => Promise.reject(new Error('owned')))
  const all = await Promise.allSettled([looks.take('a'), looks.take('b')])
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
