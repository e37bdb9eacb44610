import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { CadreError } from '@cadre/core'
import type { RestateEngine } from '../engine/restate-engine.ts'
import type { Sdk } from '../load-sdk.ts'
import type { PlaceNames } from '../place-names.ts'
import { treeServices } from './tree-services.ts'

export interface ListenOptions {
  readonly sdk: Sdk
  readonly names: PlaceNames
  readonly engineOf: (key: string) => RestateEngine | undefined
  readonly host: string
  readonly port: number
  readonly identityKeys?: readonly string[]
  /** Connections on which the server does not answer for this many milliseconds are closed, and their trees are lost. */
  readonly fresh: number
  readonly report: (message: string) => void
}

export interface TreeListener {
  readonly port: number
  /** Accepts no more requests, and resolves when those that block others have ended: their journals bind them to this address. */
  drain(): Promise<void>
  close(): Promise<void>
}

/** Requests need a few answers of the server, in milliseconds. */
const drainLimit = 5_000

const loopback = ['127.0.0.1', '::1', 'localhost']

/** Serves the virtual objects of a place over HTTP/2. */
export async function listenForTrees(options: ListenOptions): Promise<TreeListener> {
  const { sdk, names, engineOf, host, port, identityKeys, fresh, report } = options
  if (!loopback.includes(host) && !identityKeys?.length) {
    throw new CadreError(
      'configuration',
      `a worker may listen on ${host} only if engine.identityKeys lists the server's public keys. Otherwise anyone who reaches it could run agents.`,
    )
  }
  let isClosing = false
  /** Since the server connected last. */
  let isCut = false
  const handler = sdk.createEndpointHandler({
    services: treeServices(sdk, names, engineOf),
    ...(identityKeys?.length && { identityKeys: [...identityKeys] }),
    logger: ({ level }, ...rest) => {
      if (level !== 'error' || isClosing) return
      const [message = ''] = rest.map(String).join(' ').split('\n')
      if (!/abort error from connection/i.test(message)) return report(message)
      // The SDK says so for each tree.
      if (!isCut)
        report('The connection from the Restate server was lost. Sessions continue when it connects again.')
      isCut = true
    },
  })
  const server: Http2Server = createServer({ settings: { maxConcurrentStreams: 10_000 } }, handler as never)
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    isCut = false
    const stop = closeWhenSilent(session, fresh)
    session.on('error', () => {})
    session.on('close', () => {
      stop()
      sessions.delete(session)
    })
  })
  const streams = new Set<ServerHttp2Stream>()
  server.on('stream', (stream, { ':path': path = '' }) => {
    // It waits for news, and its client asks again.
    if (path.endsWith('/changes')) return
    streams.add(stream)
    stream.on('close', () => streams.delete(stream))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new CadreError('configuration', `cannot listen on ${host}:${port}: ${error.message}`)),
    )
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async drain() {
      isClosing = true
      server.close()
      for (const session of sessions) session.close()
      const until = performance.now() + drainLimit
      while (streams.size > 0 && performance.now() < until)
        await new Promise((resolve) => setTimeout(resolve, 10))
    },
    close: () =>
      new Promise((resolve) => {
        isClosing = true
        server.close(() => resolve())
        for (const session of sessions) session.destroy()
      }),
  }
}

/**
 * A worker that is cut off from the server must notice, because the server gives its trees to another one. It sends a ping twice per
 * `fresh`, and closes the connection if there was no answer for that long.
 */
function closeWhenSilent(session: ServerHttp2Session, fresh: number): () => void {
  let answered = performance.now()
  const timer = setInterval(() => {
    if (performance.now() - answered > fresh) return session.destroy()
    try {
      session.ping((error) => {
        if (error === null) answered = performance.now()
      })
    } catch {
      // The session is closing.
    }
  }, fresh / 2)
  timer.unref()
  return () => clearInterval(timer)
}
