import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Adds the token to every request and passes everything else on unchanged, `Host` and `Origin` included. For clients that have no option for a token. */
export async function startTokenProxy(target: string, token: string): Promise<string> {
  const { hostname, port, pathname } = new URL(target)
  const server = createServer((received, response) => {
    const headers = { ...received.headers, authorization: `Bearer ${token}` }
    const sent = request(
      { hostname, port, path: received.url, method: received.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    sent.on('error', () => response.destroy())
    response.on('close', () => sent.destroy())
    received.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}${pathname}`
}
