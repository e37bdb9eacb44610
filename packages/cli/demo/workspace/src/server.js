import { createServer } from 'node:http'

export function startServer(port) {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/plain')
    response.end('hello\n')
  })
  return server.listen(port)
}
