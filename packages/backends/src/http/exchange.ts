import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import type { Clock } from '@cadre/core'
import type { RequestTarget } from './endpoint.ts'

/** The result of one request. Nothing here throws: network errors are expected. */
export type ExchangeResult =
  /** A complete, successful response. */
  | { readonly kind: 'complete' }
  | {
      readonly kind: 'status'
      readonly status: number
      readonly headers: IncomingHttpHeaders
      readonly text: string
    }
  | { readonly kind: 'broken'; readonly code: string; readonly isStale: boolean }
  | { readonly kind: 'silent' }
  | { readonly kind: 'aborted' }

export interface Transport {
  readonly request: (options: RequestOptions) => ClientRequest
  readonly agent: Agent
  readonly clock: Clock
}

export interface Exchange {
  readonly method: 'GET' | 'POST'
  readonly target: RequestTarget
  readonly headers: Record<string, string>
  readonly body?: string
  /** The timeout without data, in milliseconds. */
  readonly idleTimeout: number
  /** Receives the decoded body of a success. Returns true if it is complete, whatever else may follow. */
  readonly push: (chunk: string) => boolean
}

/** The maximum length kept of an error's body. */
const maxErrorLength = 64 * 1024
/** How long to wait for the end of a complete response, so that its connection can be reused. */
const endGrace = 100

/**
 * One request and its response. Owns the connection during the request, then returns it to the agent or destroys it.
 *
 * 1. Resolves exactly once; rejects only with an error that `push` threw.
 * 2. An abort resolves it immediately and closes the connection.
 * 3. After it has resolved, `push` is not called again and no timer is left.
 */
export function sendAndReadReply(
  transport: Transport,
  asked: Exchange,
  signal: AbortSignal,
): Promise<ExchangeResult> {
  const { agent, clock } = transport
  const { method, target, headers, body, idleTimeout, push } = asked
  if (signal.aborted) return Promise.resolve({ kind: 'aborted' })
  return new Promise((resolve, reject) => {
    let isOver = false
    let hasAnswer = false
    let lastByte = clock.now()
    let cancelTimer = clock.after(idleTimeout, watch)
    const outgoing = transport.request({ ...target, method, headers, agent })
    outgoing.on('response', read)
    // Once there is a response, only the response counts: a server may reject a body before it has read all of it.
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (!hasAnswer) fail(error)
    })
    signal.addEventListener('abort', abort)
    outgoing.end(body)

    function read(response: IncomingMessage): void {
      const status = response.statusCode ?? 0
      const isSuccess = status >= 200 && status < 300
      let text = ''
      hasAnswer = true
      lastByte = clock.now()
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        if (isOver) return
        lastByte = clock.now()
        if (isSuccess) take(chunk)
        else if (text.length < maxErrorLength) text += chunk
      })
      response.on('end', () => {
        end(isSuccess ? { kind: 'complete' } : { kind: 'status', status, headers: response.headers, text })
      })
      response.on('error', fail)
      // Covers every other way to end, so that no caller is left waiting.
      response.on('close', () => fail({ code: 'ECONNRESET' }))
    }

    function take(chunk: string): void {
      try {
        if (!push(chunk)) return
      } catch (error) {
        clean()
        outgoing.destroy()
        reject(error)
        return
      }
      cancelTimer()
      cancelTimer = clock.after(endGrace, () => {
        end({ kind: 'complete' })
        outgoing.destroy()
      })
    }

    function watch(): void {
      const quiet = clock.now() - lastByte
      if (quiet < idleTimeout) cancelTimer = clock.after(idleTimeout - quiet, watch)
      else destroy({ kind: 'silent' })
    }

    function abort(): void {
      destroy({ kind: 'aborted' })
    }

    function fail(error: { readonly code?: string | undefined }): void {
      const code = error.code ?? 'ECONNRESET'
      // If the server closed a kept-alive connection just when it was reused, that is not a failure of the server.
      destroy({ kind: 'broken', code, isStale: outgoing.reusedSocket && !hasAnswer })
    }

    function destroy(ended: ExchangeResult): void {
      if (isOver) return
      end(ended)
      outgoing.destroy()
    }

    function end(ended: ExchangeResult): void {
      if (isOver) return
      clean()
      resolve(ended)
    }

    function clean(): void {
      isOver = true
      cancelTimer()
      signal.removeEventListener('abort', abort)
    }
  })
}
