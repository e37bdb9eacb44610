/**
 * Follows the server's event stream, and reconnects automatically.
 *
 * 1. After a lost connection, it continues after the last event that it has passed on. The server then sends exactly the missed events, or `reset`.
 * 2. If no byte arrives for 45 seconds, the connection is lost, because the server sends a keep-alive every 15 seconds. This happens when a machine
 *    was asleep.
 * 3. An error that a retry cannot fix (status 400 to 499, except 408 and 429) ends the iteration with an `ApiError`.
 * 4. The iteration ends after `parked`, and when the signal is aborted.
 */
import { ApiError, apiErrorOf } from './api-error.ts'
import { readStream } from './read-stream.ts'
import type { StreamEvent, StreamPart } from './stream-event.ts'

export interface FollowOptions {
  /** Sends the request for the stream. */
  readonly open: (after: string | undefined, signal: AbortSignal) => Promise<Response>
  readonly after: string | undefined
  readonly signal: AbortSignal | undefined
  /** How long a connection may be silent, in milliseconds. */
  readonly silenceMs?: number
  /** The pause before the given attempt to reconnect, in milliseconds. */
  readonly pauseMs?: (attempt: number) => number
}

const defaults = {
  silenceMs: 45_000,
  // Randomised, so that pages do not all reconnect at the same moment.
  pauseMs: (attempt: number) => Math.min(10_000, 250 * 2 ** attempt) * (0.5 + Math.random() / 2),
}

export async function* followEvents(options: FollowOptions): AsyncGenerator<StreamPart, void, undefined> {
  const { open, signal, silenceMs = defaults.silenceMs, pauseMs = defaults.pauseMs } = options
  let { after } = options
  const isOver = () => signal?.aborted === true
  for (let attempt = 0; !isOver(); attempt++) {
    const connection = new AbortController()
    const end = () => connection.abort()
    signal?.addEventListener('abort', end, { once: true })
    let watchdog: ReturnType<typeof setTimeout> | undefined
    const heard = () => {
      clearTimeout(watchdog)
      watchdog = setTimeout(end, silenceMs)
    }
    let why = 'The server has closed the stream.'
    try {
      heard()
      const response = await open(after, connection.signal)
      if (!response.ok || response.body === null) throw await apiErrorOf(response)
      attempt = 0
      yield { kind: 'open' }
      for await (const { id, event, data } of readStream(response.body, heard)) {
        if (event === 'parked') {
          yield { kind: 'parked' }
          return
        }
        if (id !== undefined && id !== '') after = id
        if (event === 'reset') yield { kind: 'reset' }
        else if (event === 'message')
          yield { kind: 'event', ...(id !== undefined && { id }), event: JSON.parse(data) as StreamEvent }
      }
    } catch (error) {
      if (error instanceof ApiError && isFinal(error.status)) throw error
      why = error instanceof Error ? error.message : String(error)
    } finally {
      clearTimeout(watchdog)
      signal?.removeEventListener('abort', end)
      end()
    }
    if (isOver()) return
    yield { kind: 'lost', why }
    await pause(pauseMs(attempt), signal)
  }
}

function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end, { once: true })
    if (signal?.aborted === true) end()
  })
}
