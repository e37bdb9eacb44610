/**
 * A proxy between the browser and the server whose connections can break, as on a machine that sleeps or a network that fails.
 *
 * 1. The browser keeps its address while the server behind is killed and started again on another port.
 * 2. The server sees its own host and origin, because it accepts no others.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface BreakingProxy {
  readonly address: string
  /** Where requests go from now on. Without a server, they fail. */
  serve(server: string | undefined): void
  /** Destroys every open connection. */
  cut(): void
  /** Until `thaw`, no byte moves in any direction, and nothing breaks. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

export async function startBreakingProxy(): Promise<BreakingProxy> {
  let target: URL | undefined
  let frozen: Promise<void> | undefined
  let thaw = () => {}
  const sockets = new Set<Socket>()
  const upstream = new Set<IncomingMessage>()

  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    await frozen
    if (target === undefined) return void response.destroy()
    const { host, origin, ...headers } = request.headers
    const sent = sendRequest(
      new URL(request.url ?? '/', target),
      {
        method: request.method,
        headers: { ...headers, host: target.host, ...(origin !== undefined && { origin: target.origin }) },
      },
      (answer) => {
        upstream.add(answer)
        answer.once('close', () => upstream.delete(answer))
        answer.once('error', () => response.destroy())
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        response.flushHeaders()
        if (frozen !== undefined) answer.pause()
        answer.on('data', (part: Buffer) => response.write(part))
        answer.once('end', () => response.end())
      },
    )
    sent.once('error', () => response.destroy())
    response.once('close', () => sent.destroy())
    request.pipe(sent)
  }
  const server = createServer((request, response) => void pass(request, response))
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    serve(address) {
      target = address === undefined ? undefined : new URL(address)
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    freeze() {
      if (frozen !== undefined) return
      frozen = new Promise((resolve) => {
        thaw = resolve
      })
      for (const answer of upstream) answer.pause()
    },
    thaw() {
      frozen = undefined
      thaw()
      for (const answer of upstream) answer.resume()
    },
    async close() {
      thaw()
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
