import type { Clock } from '@cadre/core'
import type { ToolServer } from './tool-server.ts'
import type { Turn, TurnEvent } from './turn.ts'

export type Sign = TurnEvent | { readonly kind: 'aborted' } | { readonly kind: 'silent' }

/** Milliseconds in which a server that lives answers a question about nothing. */
const pingTimeout = 5_000

/** Waits until the turn has something to say, is aborted, or has been silent for too long. */
export function nextSign(turn: Turn, signal: AbortSignal, clock: Clock, idleTimeout: number): Promise<Sign> {
  return new Promise((resolve) => {
    let cancelTimer = () => {}
    const end = (sign: Sign) => {
      cancelTimer()
      signal.removeEventListener('abort', abort)
      turn.onNews(() => {})
      resolve(sign)
    }
    const abort = () => end({ kind: 'aborted' })
    const look = () => {
      const event = turn.next()
      if (event !== undefined) end(event)
    }
    const watch = () => {
      const quiet = clock.now() - turn.heardAt
      if (quiet < idleTimeout) cancelTimer = clock.after(idleTimeout - quiet, watch)
      else end({ kind: 'silent' })
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort)
    turn.onNews(look)
    watch()
    look()
  })
}

/** Whether the server lives. */
export function answers(server: ToolServer, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancelTimer = clock.after(pingTimeout, () => resolve(false))
    // No server knows this request, and one that lives says so at once.
    void server.process.request('cadre/ping').then((answer) => {
      cancelTimer()
      resolve(answer.kind !== 'gone')
    })
  })
}
