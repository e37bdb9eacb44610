import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { readStream } from '@cadre/api'
import { expect, it, onTestFinished } from 'vitest'
import { createHub, type Hub } from './hub.ts'
import { openStream } from './open-stream.ts'

async function serve(hub: Hub): Promise<number> {
  let count = 0
  const server = createServer((request, response) => {
    const login = request.url === '/healthy' ? 'healthy' : `slow-${++count}`
    openStream(hub, request, response, { login, index: true, roots: [] })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    hub.close()
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function neverReads(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await new Promise<void>((resolve) => socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n', () => resolve()))
  return socket
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

it('disconnects readers that never read, and sends everything to the others', async () => {
  const hub = createHub({ cut: 64 << 10, behind: 16 << 10 })
  const port = await serve(hub)
  await Promise.all(Array.from({ length: 8 }, () => neverReads(port)))
  const stop = new AbortController()
  const healthy = await fetch(`http://127.0.0.1:${port}/healthy`, { signal: stop.signal })
  if (healthy.body === null) throw new Error('no stream')
  while (hub.readers() < 9) await turn()
  const numbers: number[] = []
  let last = Number.POSITIVE_INFINITY
  const reading = (async () => {
    for await (const { event, data } of readStream(healthy.body as ReadableStream<Uint8Array>)) {
      if (event !== 'message') continue
      numbers.push((JSON.parse(data) as { count: number }).count)
      if (numbers.at(-1) === last) return
    }
  })()
  const filler = 'x'.repeat(8 << 10)
  let sent = 0
  while (hub.readers() > 1) {
    hub.publish(() => ({ type: 'problems.changed', count: ++sent, filler }) as never)
    // The other reader receives everything before the next event.
    while (numbers.length < sent) await turn()
  }
  last = sent + 1
  hub.publish(() => ({ type: 'problems.changed', count: ++sent }))
  await reading
  expect(hub.readers()).toBe(1)
  expect(numbers).toEqual(Array.from({ length: sent }, (_, index) => index + 1))
  stop.abort()
})
