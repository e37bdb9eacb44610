/**
 * The few globals core uses and every JavaScript host has. Core is compiled without Node's and the DOM's types,
 * so that reaching for a clock, a file or the network does not compile; this file is not part of what is published.
 */
interface AbortSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}
interface AbortController {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}
declare var AbortController: { new (): AbortController }
interface URL {
  readonly href: string
  readonly protocol: string
  readonly username: string
  readonly password: string
  readonly hostname: string
  readonly port: string
  readonly pathname: string
  readonly search: string
  readonly hash: string
}
declare var URL: { new (address: string): URL }
declare var crypto: { randomUUID(): string }
