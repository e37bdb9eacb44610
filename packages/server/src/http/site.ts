/**
 * The page and the API on a server. Every request must pass the same checks, in this order:
 *
 * 1. Host and origin, including for files. 2. The address. 3. The login or token. 4. The role. 5. Whether changes are allowed.
 * 6. `If-Match`, parameters and body. Only then does the route run.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JsonObject } from '@cadre/core'
import { createAnswerCache } from './answer-cache.ts'
import type { ApiContext, RouteContext } from './api-context.ts'
import { type Caller, mayAct } from './guard/caller.ts'
import { createCredentials } from './guard/credentials.ts'
import { type OwnHostsOptions, ownHosts } from './guard/own-hosts.ts'
import { peerUser } from './guard/peer-user.ts'
import { callerOfToken, type People, peopleOf } from './guard/people.ts'
import { rejectForeignRequest } from './guard/reject-foreign-request.ts'
import { type AnyRoute, changesWithEtag, operationsWithKey } from './http-route.ts'
import { type Match, matchRoute } from './match-route.ts'
import { describeApi } from './openapi.ts'
import { HttpProblem, problemOf, readOnlyText } from './problem.ts'
import { readJsonBody } from './read-json-body.ts'
import { readQuery } from './read-query.ts'
import { allRoutes } from './routes/all-routes.ts'
import { eventsQuery } from './routes/events-route.ts'
import { etagOf, sendAnswer, sendProblem } from './send-answer.ts'
import type { StaticFiles } from './static-files.ts'
import { openStream } from './stream/open-stream.ts'
import { withTimeout } from './with-timeout.ts'

export interface SiteOptions {
  readonly context: ApiContext
  readonly place: OwnHostsOptions
  readonly files: StaticFiles
  readonly people?: People
  /** Receives route errors that are bugs. */
  readonly failed: (error: unknown) => void
  /** The timeout of a route, in milliseconds. */
  readonly timeoutMs?: number
  readonly now?: () => number
}

export interface Site {
  /** Answers a request. Calls `begun` when the request is complete. Never rejects. */
  answer(request: IncomingMessage, response: ServerResponse, begun: () => void): Promise<void>
  /** Ends all streams. */
  close(): void
}

const megabyte = 1 << 20
const anonymous: Caller = { by: '', roles: [], login: '', via: 'page' }

export function createSite(options: SiteOptions): Site {
  const { place, files, people = peopleOf(options.context.home), failed, timeoutMs = 30_000 } = options
  const hosts = ownHosts(place)
  const credentials = createCredentials({ port: place.port, people, now: options.now })
  const cache = createAnswerCache()
  let document: JsonObject | undefined
  const context: RouteContext = {
    ...options.context,
    credentials,
    describe: () => {
      document ??= describeApi(allRoutes, { version: options.context.version, port: place.port })
      return document
    },
  }

  const callerOf = ({ headers }: IncomingMessage): Caller => {
    // An invalid token is an error, even if the request also has the page's login.
    const caller =
      headers.authorization === undefined ? credentials.find(headers) : callerOfToken(headers, people)
    // For a proxy's host name, only a token identifies the person.
    if (caller !== undefined && (caller.tokenHash !== undefined || hosts.isLocal(headers.host))) return caller
    throw new HttpProblem(
      401,
      'You are not logged in. Run "cadre open", or send a token from "cadre people add".',
    )
  }

  /** The caller of a login request: the token's person, or nobody yet. */
  const newcomer = (request: IncomingMessage): Caller => {
    const { headers } = request
    if (headers.authorization !== undefined) {
      const caller = callerOfToken(headers, people)
      if (caller !== undefined) return caller
      throw new HttpProblem(
        401,
        'This token is not valid. An administrator can create one with "cadre people add".',
      )
    }
    if (hosts.isLocal(headers.host)) return stranger(request)
    throw new HttpProblem(
      403,
      'Logins created by "cadre open" work only on the machine that runs the server. From another machine, use a token instead.',
    )
  }

  /** A person can be removed, and a login can end, while a stream is open. */
  const isStill = ({ login }: Caller, request: IncomingMessage): boolean => {
    try {
      const caller = callerOf(request)
      return caller.login === login && mayAct(caller, 'viewer')
    } catch (error) {
      if (error instanceof HttpProblem) return false
      throw error
    }
  }

  const requireRole = (
    caller: Caller,
    { role, needsDaemon = false }: Pick<AnyRoute, 'role' | 'needsDaemon'>,
  ) => {
    // First, because no role helps then.
    if (role !== 'public' && role !== 'viewer' && context.readOnly) throw new HttpProblem(403, readOnlyText)
    if (role !== 'public' && !mayAct(caller, role))
      throw new HttpProblem(
        403,
        `This needs the role ${role}. You have: ${caller.roles.join(', ') || 'none'}.`,
      )
    if (needsDaemon && context.operate === undefined)
      throw new HttpProblem(409, 'This needs a daemon, and none is running. Start one with "cadre up".')
  }

  const answerApi = async (
    request: IncomingMessage,
    response: ServerResponse,
    { operation, params }: Match,
    search: URLSearchParams,
    begun: () => void,
  ) => {
    if (operation === 'events') {
      const caller = callerOf(request)
      requireRole(caller, { role: 'viewer' })
      if (request.method === 'HEAD') throw new HttpProblem(405, 'This address accepts only GET.')
      const query = readQuery(search, eventsQuery)
      const resumed = request.headers['last-event-id']
      begun()
      openStream(context.hub, request, response, {
        after: typeof resumed === 'string' ? resumed : (query['after'] as string | undefined),
        login: caller.login,
        person: caller.tokenHash,
        index: query['index'] === true,
        roots: (query['root'] as string[] | undefined) ?? [],
        isValid: () => isStill(caller, request),
      })
      return
    }
    const route = allRoutes[operation]
    if (route === undefined) throw new HttpProblem(501, `This server does not support "${operation}".`)
    const caller = route.role === 'public' ? newcomer(request) : callerOf(request)
    requireRole(caller, route)
    const { url = '' } = request
    const version = route.version?.(context)
    const cached = version === undefined ? undefined : cache.find(url, version)
    if (cached !== undefined) {
      begun()
      await sendAnswer(request, response, {
        status: route.status ?? 200,
        type: 'application/json',
        ...cached,
      })
      return
    }
    const ifMatch = changesWithEtag.has(operation) ? requireEtag(request) : undefined
    const query = readQuery(search, route.query)
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'DELETE'
    const body = hasBody ? await readJsonBody(request, route.body, route.maxBytes ?? megabyte) : undefined
    begun()
    const work = route.answer(
      {
        caller,
        params,
        query,
        body,
        ifMatch,
        idempotencyKey: keyOf(request, operation),
        // Most routes do not need it.
        get signal() {
          return signalOf(response)
        },
      },
      context,
    )
    const reply =
      work instanceof Promise
        ? await withTimeout(work, timeoutMs, () => {
            throw new HttpProblem(503, 'The request timed out. Try again.', { code: 'timeout' })
          })
        : work
    const bytes = Buffer.from(JSON.stringify(reply.body))
    const etag = reply.etag ?? etagOf(bytes)
    if (version !== undefined) cache.keep(url, version, { bytes, etag })
    await sendAnswer(request, response, {
      status: reply.status ?? route.status ?? 200,
      type: 'application/json',
      bytes,
      etag,
      ...(reply.cookie !== undefined && {
        headers: { 'set-cookie': `${reply.cookie}${hosts.isSecure(request.headers.host) ? '; Secure' : ''}` },
      }),
    })
  }

  return {
    async answer(request, response, begun) {
      try {
        const { method = 'GET', headers } = request
        const { pathname, searchParams } = addressOf(request.url)
        rejectForeignRequest({ method, path: pathname, headers }, hosts)
        if (!pathname.startsWith('/api/')) {
          if (method !== 'GET' && method !== 'HEAD')
            throw new HttpProblem(405, 'This address accepts only GET.', { headers: { allow: 'GET' } })
          begun()
          await sendAnswer(request, response, files.answer(pathname))
          return
        }
        await answerApi(request, response, matchRoute(method, pathname), searchParams, begun)
      } catch (error) {
        const problem = problemOf(error)
        if (problem === undefined) failed(error)
        if (response.headersSent) response.destroy()
        else await sendProblem(request, response, problem ?? new HttpProblem(500, 'Internal error.'))
      }
    },
    close: () => context.hub.close(),
  }
}

/** Aborts when the client disconnects. */
function signalOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (response.destroyed) gone.abort()
  else response.once('close', () => gone.abort())
  return gone.signal
}

/** Nobody yet. Only the system user who created a login may use it. */
function stranger({ socket }: IncomingMessage): Caller {
  const uid = peerUser(socket)
  return { ...anonymous, ...(uid !== undefined && { uid }) }
}

function addressOf(url = '/'): URL {
  // A host in the address would replace the server's own.
  if (!url.startsWith('/') || url.startsWith('//')) throw new HttpProblem(400, 'The address is invalid.')
  try {
    return new URL(url, 'http://localhost')
  } catch {
    throw new HttpProblem(400, 'The address is invalid.')
  }
}

function requireEtag({ headers }: IncomingMessage): string {
  const header = headers['if-match']
  if (header === undefined)
    throw new HttpProblem(
      428,
      'Send the ETag of the version that you read as If-Match, so that no change is lost.',
    )
  const etag = /^"([\w-]{1,64})"$/.exec(header.trim())?.[1]
  if (etag === undefined) throw new HttpProblem(400, 'If-Match must be one ETag in double quotes.')
  return etag
}

function keyOf({ headers }: IncomingMessage, operation: Match['operation']): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined || !operationsWithKey.has(operation)) return undefined
  if (typeof key !== 'string' || !/^[\w.:-]{1,200}$/.test(key))
    throw new HttpProblem(
      400,
      'Idempotency-Key must consist of 1 to 200 letters, digits, underscores, dots, colons and hyphens.',
    )
  return key
}
