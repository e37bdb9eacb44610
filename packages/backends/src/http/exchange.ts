import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import type { Clock } from '@cadre/core'
import type { Target } from './endpoint.ts'

/** How one request ended. Nothing here throws: what can go wrong on a wire is expected. */
export type Ended =
  /** The answer was a success and came to its end. */
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
  readonly target: Target
  readonly headers: Record<string, string>
  readonly body?: string
  /** Milliseconds without a byte after which it is given up. */
  readonly idleTimeout: number
  /** Takes the body of a success, decoded. True says that it is complete, whatever else may follow. */
  readonly push: (chunk: string) => boolean
}

/** The most of an error's body that is kept. */
const longestError = 64 * 1024
/** How long the end of a complete answer is waited for, so that its connection can be used again. */
const endGrace = 100

/**
 * One request and its answer. Owns the connection while it lasts, and gives it back to the agent or destroys it.
 *
 * 1. Resolves exactly once; rejects only with what `push` threw.
 * 2. An abort resolves it at once and closes the connection.
 * 3. After it has resolved, `push` is not called again and no timer of it is left.
 */
export function exchange(transport: Transport, asked: Exchange, signal: AbortSignal): Promise<Ended> {
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
    // Once there is an answer, only the answer counts: a server may refuse a body before it has read all of it.
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
        else if (text.length < longestError) text += chunk
      })
      response.on('end', () => {
        end(isSuccess ? { kind: 'complete' } : { kind: 'status', status, headers: response.headers, text })
      })
      response.on('error', fail)
      // Whatever else may end it: nobody is left waiting.
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
      // A connection that was kept, and that the server closed just when it was used again, says nothing about the server.
      destroy({ kind: 'broken', code, isStale: outgoing.reusedSocket && !hasAnswer })
    }

    function destroy(ended: Ended): void {
      if (isOver) return
      end(ended)
      outgoing.destroy()
    }

    function end(ended: Ended): void {
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
