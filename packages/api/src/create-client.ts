import { apiErrorOf } from './api-error.ts'
import { followEvents } from './follow-events.ts'
import { type OperationName, operations } from './operations.ts'
import { requestAddress } from './request-address.ts'
import type { AnswerOf, AnyRequest, RequestOf } from './request-of.ts'
import type { StreamPart } from './stream-event.ts'

export interface ClientOptions {
  /** The server's address, such as `http://127.0.0.1:7373`. Empty for the page itself, which uses its own origin. */
  readonly address: string
  /** For programs: a token from `cadre people add`. */
  readonly token?: string | undefined
  /** For the page: the key that the login returned. The other half of the credential is a cookie, which the browser sends. */
  readonly key?: string | (() => string | undefined) | undefined
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

type Call<Name extends OperationName> =
  Record<never, never> extends RequestOf<Name>
    ? (request?: RequestOf<Name>) => Promise<AnswerOf<Name>>
    : (request: RequestOf<Name>) => Promise<AnswerOf<Name>>

export interface EventsOptions {
  /** Continue after this event, or from the `at` of an answer. Default: now. */
  readonly after?: string
  /** Also send the rows of all sessions. */
  readonly index?: boolean
  /** The entry sessions whose trees to follow. */
  readonly root?: readonly string[]
  readonly signal?: AbortSignal
}

/** One method per operation. They reject with an `ApiError`. */
export type Client = { readonly [Name in Exclude<OperationName, 'events'>]: Call<Name> } & {
  /** Follows the stream. Reconnects automatically. Ends after `parked`, or when the signal is aborted. */
  events(options?: EventsOptions): AsyncIterable<StreamPart>
}

export function createClient(options: ClientOptions): Client {
  const { address, token, key, fetch = globalThis.fetch } = options
  const send = (name: OperationName, request: AnyRequest, headers: Record<string, string> = {}) => {
    const [method, path] = operations[name]
    const half = typeof key === 'function' ? key() : key
    const { body, ifMatch, idempotencyKey, signal } = request
    const hasBody = method !== 'GET' && method !== 'DELETE'
    return fetch(requestAddress(address, path, request), {
      method,
      credentials: 'same-origin',
      redirect: 'error',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(half !== undefined && { 'x-cadre-key': half }),
        ...(hasBody && { 'content-type': 'application/json' }),
        ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...headers,
      },
      ...(hasBody && { body: JSON.stringify(body ?? {}) }),
      ...(signal !== undefined && { signal }),
    })
  }
  const call = async (name: OperationName, request: AnyRequest = {}): Promise<unknown> => {
    const response = await send(name, request)
    if (!response.ok) throw await apiErrorOf(response)
    return response.json()
  }
  const calls = Object.keys(operations)
    .filter((name) => name !== 'events')
    .map((name) => [name, (request?: AnyRequest) => call(name as OperationName, request)] as const)
  return {
    ...(Object.fromEntries(calls) as unknown as Omit<Client, 'events'>),
    events({ after, signal, ...query }: EventsOptions = {}) {
      const open = (last: string | undefined, connection: AbortSignal) =>
        send(
          'events',
          { query: { ...query, after: last }, signal: connection },
          { accept: 'text/event-stream' },
        )
      return followEvents({ open, after, signal })
    },
  } as Client
}
