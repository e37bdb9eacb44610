import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { TLSSocket } from 'node:tls'

export interface GitHubProxy {
  /** The environment of a language server for which every network address leads to the fake GitHub. */
  readonly env: { readonly [name: string]: string }
  close(): Promise<void>
}

/**
 * Routes every connection to the fake GitHub, whatever its host, with a generated certificate for that host. The language
 * server stores only the host of a sign-in, so after a restart it contacts only `https://github.com`.
 */
export async function startGitHubProxy(fakeUrl: string): Promise<GitHubProxy> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-proxy-'))
  const file = (name: string) => path.join(folder, name)
  const names = ['github.com', '*.github.com', '*.githubcopilot.com', '*.githubusercontent.com']
  const subject = [
    ...['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'],
    ...[
      '-subj',
      '/CN=Fake GitHub',
      '-addext',
      `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`,
    ],
  ]
  execFileSync('openssl', ['req', ...subject, '-keyout', file('key.pem'), '-out', file('cert.pem')], {
    stdio: 'ignore',
  })
  const [key, cert] = [readFileSync(file('key.pem')), readFileSync(file('cert.pem'))]
  const fakePort = Number(new URL(fakeUrl).port)
  const proxy = createServer((_, response) => response.writeHead(501).end())
  proxy.on('connect', ({ url: target = '' }, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    // Addresses that the fake itself returned use plain HTTP.
    const isSecured = target.endsWith(':443')
    const client = isSecured ? new TLSSocket(socket, { isServer: true, key, cert }) : socket
    const fake = connect(fakePort, '127.0.0.1')
    for (const [from, to] of [
      [client, fake],
      [fake, client],
    ] as const) {
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return {
    env: { HTTPS_PROXY: url, NO_PROXY: '127.0.0.1', NODE_EXTRA_CA_CERTS: file('cert.pem') },
    async close() {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
