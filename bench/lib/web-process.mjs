import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import readline from 'node:readline'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../cadre/web-server.mjs', import.meta.url))

/** The page's server in its own process. `ask` sends one command and returns its answer. */
export async function startWebServer(tmp, sessions) {
  const child = spawn(process.execPath, ['--expose-gc', program, tmp, String(sessions)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value)
  await next()
  return {
    async ask(command) {
      child.stdin.write(`${command}\n`)
      return next()
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Logs in with a secret, as the page does. Returns the headers of both halves. */
export async function logIn({ address, secret }) {
  const response = await fetch(`${address}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret }),
  })
  const { key } = await response.json()
  return { cookie: response.headers.get('set-cookie').split(';')[0], 'x-cadre-key': key }
}

/** Opens the stream and never reads it. */
export function neverRead(address, headers) {
  const { hostname, port, host } = new URL(address)
  const socket = net.connect(Number(port), hostname)
  socket.pause()
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`)
  socket.write(`GET /api/events?index=true HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  socket.on('error', () => {})
  return socket
}
