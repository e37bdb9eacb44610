import { expect, it } from 'vitest'
import { BatchQueue, type BatchQueueOptions } from './batch-queue.ts'
import type { Delivery } from './post.ts'

/** A queue whose receiver answers when the test tells it to. */
function open(options: Partial<BatchQueueOptions> = {}) {
  const requests: { readonly items: readonly string[]; answer(delivery: Delivery): void }[] = []
  const lost: string[] = []
  const queue = new BatchQueue({
    most: 100,
    batch: 4,
    delayMs: 3_600_000,
    lost: (reason) => lost.push(reason),
    send: (items) =>
      new Promise((resolve) => {
        requests.push({ items: [...items], answer: resolve })
      }),
    ...options,
  })
  const add = (...items: string[]) => {
    for (const item of items) queue.add(item)
  }
  /** Answers the last request. Resolves when the queue has taken note. */
  const deliver = async () => {
    requests.at(-1)?.answer({ kind: 'delivered' })
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  return { queue, requests, lost, add, deliver, sent: () => requests.map(({ items }) => items.join('')) }
}

it('sends no small batches while more items arrive', async () => {
  const { add, deliver, sent } = open()
  add('a', 'b', 'c')
  expect(sent()).toEqual([])
  add('d', 'e')
  expect(sent()).toEqual(['abcd'])
  await deliver()
  expect(sent()).toEqual(['abcd'])
  add('f', 'g', 'h', 'i')
  expect(sent()).toEqual(['abcd', 'efgh'])
  add('j', 'k', 'l', 'm')
  await deliver()
  expect(sent()).toEqual(['abcd', 'efgh', 'ijkl'])
  await deliver()
  expect(sent()).toEqual(['abcd', 'efgh', 'ijkl'])
})

it('sends everything that was there when a flush was asked for, also during a request', async () => {
  const { queue, add, deliver, sent } = open()
  add('a', 'b', 'c', 'd', 'e', 'f')
  queue.flush()
  add('g')
  await deliver()
  expect(sent()).toEqual(['abcd', 'efg'])
  add('h')
  await deliver()
  expect(sent()).toEqual(['abcd', 'efg'])
})

it('sends the rest after the delay, without a flush', async () => {
  const { requests, add, deliver, sent } = open({ delayMs: 1 })
  add('a', 'b', 'c', 'd', 'e')
  await deliver()
  await expect.poll(() => sent()).toEqual(['abcd', 'e'])
  requests.at(-1)?.answer({ kind: 'delivered' })
})

it('sends the rest when it is closed, and counts nothing as lost', async () => {
  const { queue, add, deliver, sent, lost } = open()
  add('a', 'b', 'c', 'd', 'e')
  const closed = queue.close(60_000)
  await deliver()
  expect(sent()).toEqual(['abcd', 'e'])
  await deliver()
  await closed
  expect(lost).toEqual([])
})

it('tries again what failed in a request that was in progress when it was closed', async () => {
  const { queue, requests, add, deliver, sent, lost } = open()
  add('a', 'b', 'c', 'd', 'e')
  const closed = queue.close(60_000)
  requests[0]?.answer({ kind: 'failed', reason: 'busy', retry: true })
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  expect(sent()).toEqual(['abcd', 'abcd'])
  await deliver()
  expect(sent()).toEqual(['abcd', 'abcd', 'e'])
  await deliver()
  await closed
  expect(lost).toEqual([])
})

it('reports why the first request failed if there is no time for another answer', async () => {
  const { queue, requests, add, lost } = open()
  add('a', 'b', 'c', 'd')
  const closed = queue.close(20)
  requests[0]?.answer({ kind: 'failed', reason: 'busy', retry: true })
  await closed
  expect(lost).toEqual(['busy'])
})

it('sends long items before there are as many as a batch has', async () => {
  const { add, requests, deliver } = open({ batch: 100 })
  const long = 'x'.repeat(1024 * 1024)
  add(long)
  expect(requests).toHaveLength(0)
  add(long)
  expect(requests.map(({ items }) => items.length)).toEqual([2])
  await deliver()
})
