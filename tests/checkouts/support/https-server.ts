import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { makeCertificate } from '../../support/certificate.ts'

const backend = path.join(
  execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(),
  'git-http-backend',
)

/** Tests with it run in `npm run test:optional` and `test:scale`. Some systems have it in a package of its own, such as git-daemon on Alpine. */
export const hasHttpBackend =
  (process.env['CADRE_OPTIONAL'] === '1' || process.env['CADRE_TEST_RESTATE'] !== undefined) &&
  existsSync(backend)

export const user = 'ann'
export const password = 'pass/word @ann'

export interface HttpsServer {
  readonly port: number
  /** The address of a repository in the folder that the server shows. */
  address(name: string, userinfo?: string): string
  /** The settings of git that make a user trust the certificate of the server. */
  settings(): string
  /** Writes the settings of git for the user. Without `trust`, the certificate of the server is unknown. */
  configure(options: { readonly trust?: boolean; readonly more?: string }): void
  /** The requests that the server received, as `GET path status`. */
  readonly requests: string[]
  /** Replaces the answer to some requests. Returns true if it has answered. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  /** Ends all connections. */
  hangUp(): void
}

/** `git http-backend` behind a real HTTPS server on loopback, which asks for a password. */
export async function startHttpsServer(projects: string): Promise<HttpsServer> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-https-')))
  const { key, cert } = makeCertificate()
  writeFileSync(path.join(folder, 'ca.pem'), cert)
  vi.stubEnv('HOME', folder)
  for (const name of Object.keys(process.env))
    if (/^(XDG_CONFIG_HOME|SSL_CERT_|GIT_)/.test(name) || /_proxy$/i.test(name)) vi.stubEnv(name, undefined)
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const server = createServer({ key, cert }, (request, response) => {
    response.on('close', () => requests.push(`${request.method} ${request.url} ${response.statusCode}`))
    if (made.intercept?.(request, response) === true) return
    if (request.headers.authorization === expected) return serve(projects, request, response)
    response.writeHead(401, { 'www-authenticate': 'Basic realm="projects"' }).end('no')
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const made: HttpsServer = {
    port,
    requests,
    intercept: undefined,
    address: (name, userinfo) =>
      `https://${userinfo === undefined ? '' : `${userinfo}@`}127.0.0.1:${port}/${name}`,
    settings: () => `[http]\n\tsslCAInfo = ${folder}/ca.pem\n`,
    configure({ trust = true, more = '' }) {
      writeFileSync(path.join(folder, '.gitconfig'), `${trust ? made.settings() : ''}${more}`)
    },
    hangUp() {
      for (const socket of sockets) socket.destroy()
    },
  }
  made.configure({})
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    made.hangUp()
    await closed
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return made
}

/** Runs the CGI program of git. */
function serve(projects: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'https://localhost')
  const { headers } = request
  const child = spawn(backend, {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: projects,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      REMOTE_USER: user,
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      ...(headers['content-length'] && { CONTENT_LENGTH: headers['content-length'] }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.on('error', () => {})
  request.pipe(child.stdin)
  let head = ''
  child.stdout.on('data', (bytes: Buffer) => {
    if (response.headersSent) return void response.write(bytes)
    head += bytes.toString('latin1')
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    const fields = head
      .slice(0, end)
      .split('\r\n')
      .map((line) => line.split(/: (.*)/, 2) as [string, string])
    const status = fields.find(([name]) => name === 'Status')?.[1] ?? '200'
    response.writeHead(
      Number.parseInt(status, 10),
      Object.fromEntries(fields.filter(([name]) => name !== 'Status')),
    )
    response.write(Buffer.from(head.slice(end + 4), 'latin1'))
  })
  child.on('close', () => response.end())
}
