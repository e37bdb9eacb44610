import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createRestateKeeper } from './index.ts'
import { Ingress } from './ingress.ts'
import { retryUntil } from './log/retry-until.ts'

it('rejects an address with a password, and does not print it', () => {
  const open = () => createRestateKeeper({ ingress: 'http://ann:hunter2@127.0.0.1:9', place: 'lab' })
  expect(open).toThrow(/^the address of the Restate server contains a user name or password\. Remove it/)
  expect(open).not.toThrow('hunter2')
})

it('asks again if an answer is lost', async () => {
  let asked = 0
  const server = createServer((_, response) => {
    // The answer to the first request never comes.
    if (++asked > 1) response.end('["found"]')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const ingress = new Ingress({ url: `http://127.0.0.1:${port}`, answerWithin: 500 })
  const ask = () => ingress.call('Trees', 'lead-1', 'read', ['head'])
  await expect(ask()).rejects.toMatchObject({
    code: 'backend',
    message: `no worker has answered Trees at the Restate server http://127.0.0.1:${port} for 0.5 seconds. Start a worker for this place.`,
  })
  asked = 0
  expect(await retryUntil(ask, new AbortController().signal)).toEqual(['found'])
})

it('aborts a request when its own signal or the one of all requests fires', async () => {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const [all, own] = [new AbortController(), new AbortController()]
  const ingress = new Ingress({ url: `http://127.0.0.1:${port}`, signal: all.signal })
  const ask = (signal: AbortSignal) => ingress.call('Trees', 'lead-1', 'live', {}, signal)
  const first = ask(own.signal)
  own.abort()
  await expect(first).rejects.toMatchObject({ code: 'timeout' })
  const second = ask(new AbortController().signal)
  all.abort()
  await expect(second).rejects.toMatchObject({ code: 'timeout' })
})
