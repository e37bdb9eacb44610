import { connect, createServer } from 'node:net'

/** Listens on loopback and connects to the addresses in turn: several workers of one place share an address. */
export async function startScaleBalancer(urls) {
  let next = 0
  const server = createServer((client) => {
    const { hostname, port } = new URL(urls[next++ % urls.length])
    const upstream = connect(Number(port), hostname)
    client.on('error', () => {}).pipe(upstream)
    upstream.on('error', () => {}).pipe(client)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}
