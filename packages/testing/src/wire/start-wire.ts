import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answers, type Piece, type WireAnswer } from './wire-answer.ts'

/** A request the wire received. */
export interface WireRequest {
  /** From 1, in the order of arrival. */
  readonly number: number
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON. Undefined if it is not JSON. */
  readonly body: unknown
  /** Resolves when the exchange is over, or the client has disconnected. */
  readonly closed: Promise<void>
}

/** A list of answers in order, one answer for all requests, or a function that answers each request. */
export type WireScript =
  | readonly WireAnswer[]
  | WireAnswer
  | ((request: WireRequest) => WireAnswer | Promise<WireAnswer>)

export interface WireOptions {
  /** The names that `GET /models` lists, or its answer. Default: 404, as from servers without a list. */
  readonly models?: readonly string[] | WireAnswer
}

export interface Wire extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/v1`. */
  readonly url: string
  /** All model requests so far. */
  readonly requests: readonly WireRequest[]
  /** All requests for the list of models. */
  readonly listings: readonly WireRequest[]
  /** How many connections were opened. */
  readonly connections: number
  /** Resolves with the n-th model request, from 1, once it has arrived completely. */
  received(n: number): Promise<WireRequest>
  /** Like `received`, for requests for the list of models. */
  listed(n: number): Promise<WireRequest>
  close(): Promise<void>
}

/**
 * A local model server that answers exactly as a test specifies, over real connections: complete and broken streams, errors, silence. It
 * implements chat completions. The path before `/models` does not matter, and every other request is a model request.
 */
export async function startWire(script: WireScript, options: WireOptions = {}): Promise<Wire> {
  const requests: WireRequest[] = []
  const listings: WireRequest[] = []
  const waiting: { list: readonly WireRequest[]; n: number; resolve: (request: WireRequest) => void }[] = []
  let connections = 0

  const server = createServer((incoming, response) => {
    take(incoming, response).catch((error: unknown) => response.destroy(error as Error))
  })
  server.on('connection', () => connections++)
  // Never closes idle connections: closing one while the client sends would cause an unintended failure.
  server.keepAliveTimeout = 0
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo

  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    listings,
    get connections() {
      return connections
    },
    received: (n) => arrival(requests, n),
    listed: (n) => arrival(listings, n),
    close,
    [Symbol.asyncDispose]: close,
  }

  function arrival(list: readonly WireRequest[], n: number): Promise<WireRequest> {
    const request = list[n - 1]
    return request ? Promise.resolve(request) : new Promise((resolve) => waiting.push({ list, n, resolve }))
  }

  async function take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const closed = new Promise<void>((resolve) => response.on('close', () => resolve()))
    const text = await textOf(incoming)
    const url = new URL(incoming.url ?? '/', 'http://wire')
    const isListing = incoming.method === 'GET' && url.pathname.endsWith('/models')
    const list = isListing ? listings : requests
    const request: WireRequest = {
      number: list.length + 1,
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      text,
      body: parse(text),
      closed,
    }
    list.push(request)
    for (const awaited of waiting)
      if (awaited.list === list && awaited.n === request.number) awaited.resolve(request)
    await sendAnswer(isListing ? listing() : await choose(request), response)
  }

  async function choose(request: WireRequest): Promise<WireAnswer> {
    if (typeof script === 'function') return script(request)
    if ('kind' in script) return script
    const answer = script[request.number - 1]
    return (
      answer ??
      answers.problem(
        500,
        `the fake server has ${script.length} scripted answers, but this is request ${request.number}`,
      )
    )
  }

  function listing(): WireAnswer {
    const { models } = options
    if (models === undefined) return answers.problem(404, 'this server does not list its models')
    if ('kind' in models) return models
    const body = JSON.stringify({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) })
    return answers.raw([body], { headers: { 'content-type': 'application/json' } })
  }
}

async function sendAnswer(answer: WireAnswer, response: ServerResponse): Promise<void> {
  if (answer.kind === 'hang') return
  if (answer.kind === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  response.writeHead(answer.status, answer.headers)
  for await (const piece of answer.pieces) {
    if (response.destroyed) return
    await write(response, piece)
  }
  if (answer.end === 'end') response.end()
  if (answer.end === 'cut') response.socket?.destroy()
  if (answer.end === 'reset') response.socket?.resetAndDestroy()
  if (answer.end === 'hang') response.flushHeaders()
}

// Resolves on an error too, because the test decides whether a disconnect is a failure.
function write(response: ServerResponse, piece: Piece): Promise<void> {
  return new Promise((resolve) => response.write(piece, () => resolve()))
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of incoming) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
