import type { OperationName, Operations } from './operations.ts'

type Optional<T, Key extends string> =
  Record<never, never> extends T ? { readonly [K in Key]?: T } : { readonly [K in Key]: T }

type PartOf<Name extends OperationName, Key extends string> = Operations[Name] extends {
  readonly [K in Key]: infer T
}
  ? T
  : never

type OptionalPart<Name extends OperationName, Key extends string> = [PartOf<Name, Key>] extends [never]
  ? unknown
  : Optional<PartOf<Name, Key>, Key>

/** Everything that an operation needs. Only the operation's own keys are allowed. */
export type RequestOf<Name extends OperationName> = OptionalPart<Name, 'params'> &
  OptionalPart<Name, 'query'> &
  OptionalPart<Name, 'body'> &
  (PartOf<Name, 'ifMatch'> extends never
    ? unknown
    : {
        /** The ETag of the version that you read. */
        readonly ifMatch: string
      }) &
  (PartOf<Name, 'idempotent'> extends never
    ? unknown
    : {
        /** To retry a request whose answer you did not receive, send the same key. Default: a new key. */
        readonly idempotencyKey?: string
      }) & { readonly signal?: AbortSignal }

export type AnswerOf<Name extends OperationName> = Operations[Name]['answer']

/** A request without its types. */
export interface AnyRequest {
  readonly params?: { readonly [name: string]: string }
  readonly query?: { readonly [name: string]: unknown }
  readonly body?: unknown
  readonly ifMatch?: string
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}
