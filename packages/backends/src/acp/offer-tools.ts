import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock, Image, ToolOffer } from '@cadre/core'

/** A tool under the name that the program sees. */
export interface OfferedTool {
  readonly name: string
  readonly offer: ToolOffer
}

export interface ToolAnswer {
  readonly content: string
  readonly images?: readonly Image[] | undefined
}

export interface OfferOptions {
  readonly tools: readonly OfferedTool[]
  readonly clock: Clock
  /** Called for each call. The program waits for the answer. `signal` fires when it no longer does. */
  readonly called: (offer: ToolOffer, input: unknown, signal: AbortSignal) => Promise<ToolAnswer>
}

export interface ToolServerHandle {
  readonly url: string
  readonly token: string
  /** True once the program has read the list of tools. */
  wasRead(): boolean
  close(): Promise<void>
}

/** Some programs give up a silent call after three minutes, but an approval can take longer. */
const beatMs = 20_000
const maxBody = 32 << 20

/**
 * Offers tools to one program, over HTTP on the loopback interface. Only this program knows the token. `readOnlyHint` is set
 * on every tool, so that the program does not ask as well: Cadre's gate judges each call.
 */
export async function offerTools({ tools, clock, called }: OfferOptions): Promise<ToolServerHandle> {
  const [
    { createMcpHandler, Server },
    { localhostHostValidation, localhostOriginValidation, toNodeHandler },
  ] = await Promise.all([import('@modelcontextprotocol/server'), import('@modelcontextprotocol/node')])
  const token = randomBytes(32).toString('base64url')
  const byName = new Map(tools.map(({ name, offer }) => [name, offer]))
  const listed = tools.map(({ name, offer }) => ({
    name,
    description: offer.description,
    inputSchema: { ...offer.parameters, type: 'object' as const },
    annotations: { readOnlyHint: true },
    // Otherwise Claude Code shows the model only the names.
    _meta: { 'anthropic/alwaysLoad': true },
  }))
  let wasRead = false
  // The plain server, because it does not validate arguments: the loop does, and explains what is wrong.
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: 'cadre', version: '0.1.0' }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/list', () => {
        wasRead = true
        return { tools: listed }
      })
      server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
        const offer = byName.get(params.name)
        if (offer === undefined)
          return {
            isError: true,
            content: [{ type: 'text', text: `There is no tool named "${params.name}".` }],
          }
        const stopBeat = beat(clock, (progress) => {
          const progressToken = mcpReq._meta?.progressToken
          if (progressToken === undefined) return
          const beatParams = { progressToken, progress, message: 'Waiting for the result' }
          mcpReq.notify({ method: 'notifications/progress', params: beatParams }).catch(() => {})
        })
        try {
          const { content, images = [] } = await called(offer, params.arguments ?? {}, mcpReq.signal)
          return {
            content: [
              { type: 'text', text: content },
              ...images.map(({ mime, data }) => ({ type: 'image' as const, data, mimeType: mime })),
            ],
          }
        } finally {
          stopBeat()
        }
      })
      return server
    },
    { maxRequestBodySize: maxBody },
  )
  const serve = toNodeHandler(handler, { maxRequestBodySize: maxBody })
  const [isLocalHost, isLocalOrigin] = [localhostHostValidation(), localhostOriginValidation()]
  const server = createServer((request, response) => {
    if (!isAuthorized(request, token)) response.writeHead(401).end()
    else if (isLocalHost(request, response) && isLocalOrigin(request, response))
      serve(request as Parameters<typeof serve>[0], response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    token,
    wasRead: () => wasRead,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await Promise.all([closed, handler.close().catch(() => {})])
    },
  }
}

function isAuthorized({ headers }: IncomingMessage, token: string): boolean {
  const given = Buffer.from(headers.authorization ?? '')
  const wanted = Buffer.from(`Bearer ${token}`)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

function beat(clock: Clock, tell: (progress: number) => void): () => void {
  let cancel = () => {}
  const next = (progress: number) => {
    cancel = clock.after(beatMs, () => {
      tell(progress)
      next(progress + 1)
    })
  }
  next(1)
  return () => cancel()
}
