/**
 * Keeps the page in sync with the server, even after lost connections, restarts and sleep.
 *
 * 1. It reads everything once, then follows the stream from that position.
 * 2. After `reset`, it reloads everything. Events that arrive meanwhile are applied afterwards; each row has a number that shows which is newer.
 * 3. A paused stream continues when the person returns to the page.
 * 4. When the followed trees change, it reopens the stream after the last event that it has applied.
 */
import { ApiError, type Client, type StreamEvent } from '@cadre/api'

export type ConnectionState = 'connecting' | 'live' | 'parked' | 'signed-out'

export interface FollowStreamOptions {
  readonly client: Pick<Client, 'events'>
  /** Loads everything, and returns the stream's position from before. */
  readonly snapshot: () => Promise<string>
  readonly take: (event: StreamEvent) => void
  readonly setState: (state: ConnectionState, why?: string) => void
  /** The trees whose events the page currently needs. */
  readonly roots: () => readonly string[]
  /** Resolves when the person returns to the page. */
  readonly whenLookedAt: (signal: AbortSignal) => Promise<void>
  /** Resolves after a pause, before a failed snapshot is repeated. */
  readonly pause: (signal: AbortSignal) => Promise<void>
}

export interface FollowedStream {
  /** Reopens the stream, because `roots` has changed. */
  reopen(): void
  stop(): void
}

export function followStream(options: FollowStreamOptions): FollowedStream {
  const { client, snapshot, take, setState, roots, whenLookedAt, pause } = options
  const stopped = new AbortController()
  let connection = new AbortController()
  const isStopped = () => stopped.signal.aborted
  void run()
  return {
    reopen: () => connection.abort(),
    stop: () => {
      stopped.abort()
      connection.abort()
    },
  }

  async function run(): Promise<void> {
    let last: string | undefined
    while (!isStopped()) {
      try {
        last ??= await snapshot()
        last = await follow(last)
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return setState('signed-out', error.message)
        setState('connecting', error instanceof Error ? error.message : String(error))
        if (!isStopped()) await pause(stopped.signal)
      }
    }
  }

  /** Follows one stream until it ends. Returns the position at which to continue. */
  async function follow(after: string): Promise<string | undefined> {
    connection = new AbortController()
    let last: string | undefined = after
    const { signal } = connection
    for await (const part of client.events({ after, index: true, root: roots(), signal })) {
      if (isStopped()) return last
      switch (part.kind) {
        case 'open':
          setState('live')
          break
        case 'lost':
          setState('connecting', part.why)
          break
        case 'reset':
          last = await snapshot()
          setState('live')
          break
        case 'event':
          take(part.event)
          last = part.id ?? last
          break
        case 'parked':
          setState('parked')
          await whenLookedAt(stopped.signal)
          return last
      }
    }
    return last
  }
}
