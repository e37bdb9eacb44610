import type { AnswerOf, OperationName, Operations, Role } from '@cadre/api'
import type { JsonObject } from '@cadre/core'
import type { RouteContext } from './api-context.ts'
import type { Caller } from './guard/caller.ts'

type PartOf<Name extends OperationName, Key extends string> = Operations[Name] extends {
  readonly [K in Key]: infer T
}
  ? T
  : undefined

/** A request that has passed all checks: its caller, and its parts with the operation's types. */
export interface RouteRequest<Name extends OperationName> {
  readonly caller: Caller
  readonly params: PartOf<Name, 'params'>
  readonly query: PartOf<Name, 'query'>
  readonly body: PartOf<Name, 'body'>
  /** The ETag in `If-Match`, without quotes. Always present if the operation requires it. */
  readonly ifMatch: PartOf<Name, 'ifMatch'> extends true ? string : undefined
  /** The `Idempotency-Key`, if the operation accepts one and the client sent it. */
  readonly idempotencyKey: string | undefined
  readonly signal: AbortSignal
}

export interface HttpReply<T> {
  readonly body: T
  /** Default: 200. */
  readonly status?: number
  /** The ETag that a later change must send as `If-Match`. Default: the body's hash. */
  readonly etag?: string
  /** The value of `Set-Cookie`. */
  readonly cookie?: string
}

type QueryParameters<Name extends OperationName> =
  PartOf<Name, 'query'> extends infer Query
    ? Query extends undefined
      ? { readonly query?: undefined }
      : { readonly query: { readonly [Key in keyof Required<Query>]: JsonObject } }
    : never

type BodySchema<Name extends OperationName> =
  PartOf<Name, 'body'> extends undefined ? { readonly body?: undefined } : { readonly body: JsonObject }

/** A route's description. The OpenAPI document is generated from it. */
export interface RouteFacts<Name extends OperationName> {
  readonly operation: Name
  /** The role that may call it. `public`: anyone who passes the host and origin checks. */
  readonly role: Role | 'public'
  /** One line, starting with a verb. */
  readonly summary: string
  readonly description?: string
  /** The largest body, in bytes. Default: 1 MB. */
  readonly maxBytes?: number
  /** True if the operation needs a daemon. Without one, the server returns 409 and a hint to run "cadre up". */
  readonly needsDaemon?: boolean
}

export type Route<Name extends OperationName> = RouteFacts<Name> &
  QueryParameters<Name> &
  BodySchema<Name> & {
    /** The JSON Schema of the answer. May refer to `#/components/schemas/…`. */
    readonly schema: JsonObject
    /** The status of a successful answer, for the OpenAPI document. Default: 200. */
    readonly status?: number
    readonly answer: (
      request: RouteRequest<Name>,
      context: RouteContext,
    ) => HttpReply<AnswerOf<Name>> | Promise<HttpReply<AnswerOf<Name>>>
    /**
     * The version of the data that the answer is built from, for a route that only reads. While it stays the same, the site sends the same
     * bytes to everyone who requests the same address, so the answer must depend on nothing else and be built without waiting.
     */
    readonly version?: (context: RouteContext) => string
  }

/** The type of a route file's export: exactly these operations, each with its own types. */
export type Routes<Name extends OperationName> = { readonly [N in Name]: Route<N> }

/** A route without its types, for the code that handles all of them. */
export interface AnyRoute extends RouteFacts<OperationName> {
  readonly query?: { readonly [name: string]: JsonObject } | undefined
  readonly body?: JsonObject | undefined
  readonly schema: JsonObject
  readonly status?: number
  readonly answer: (
    request: AnyRequestTo,
    context: RouteContext,
  ) => HttpReply<unknown> | Promise<HttpReply<unknown>>
  readonly version?: (context: RouteContext) => string
}

export interface AnyRequestTo {
  readonly caller: Caller
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly ifMatch: string | undefined
  readonly idempotencyKey: string | undefined
  readonly signal: AbortSignal
}

/** Operations that require `If-Match` with the ETag of the content that they change. */
export const changesWithEtag: ReadonlySet<OperationName> = new Set([
  'putJournal',
  'rewindSession',
  'changeTask',
  'deleteTask',
] satisfies NamesWith<'ifMatch'>[])

/** Operations that start or send something. A client may repeat them with the same `Idempotency-Key`. */
export const operationsWithKey: ReadonlySet<OperationName> = new Set([
  'startSession',
  'sendMessage',
  'handOff',
  'forkSession',
  'createTask',
  'addToInbox',
] satisfies NamesWith<'idempotent'>[])

type NamesWith<Key extends string> = {
  [Name in OperationName]: Operations[Name] extends { readonly [K in Key]: true } ? Name : never
}[OperationName]
