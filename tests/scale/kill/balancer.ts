import { connect, createServer, type Server } from 'node:net'

/** Listens on loopback and connects to the ports in turn, because the server wants one address for all workers. */
export function startBalancer(port: number, targets: readonly number[]): Promise<Server> {
  let next = 0
  const server = createServer((client) => {
    client.on('error', () => {})
    const tryNext = (left: number) => {
      if (left === 0) return client.destroy()
      const upstream = connect(targets[next++ % targets.length] as number, '127.0.0.1')
      let isConnected = false
      upstream.on('connect', () => {
        isConnected = true
        client.pipe(upstream)
        upstream.pipe(client)
      })
      upstream.on('error', () => (isConnected ? client.destroy() : tryNext(left - 1)))
      upstream.on('close', () => isConnected && client.destroy())
      client.on('close', () => upstream.destroy())
    }
    tryNext(targets.length)
  })
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}
