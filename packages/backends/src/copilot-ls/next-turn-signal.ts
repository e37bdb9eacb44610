import type { Clock } from '@cadre/core'
import type { LsTurn, LsTurnEvent } from './ls-turn.ts'
import type { ToolServer } from './tool-server.ts'

export type TurnSignal = LsTurnEvent | { readonly kind: 'aborted' } | { readonly kind: 'silent' }

/** How long a live server may take to answer a ping, in milliseconds. */
const pingTimeout = 5_000

/** Waits until the turn has an event, is aborted, or has been silent for too long. */
export function nextTurnSignal(
  turn: LsTurn,
  signal: AbortSignal,
  clock: Clock,
  idleTimeout: number,
): Promise<TurnSignal> {
  return new Promise((resolve) => {
    let cancelTimer = () => {}
    const end = (sign: TurnSignal) => {
      cancelTimer()
      signal.removeEventListener('abort', abort)
      turn.onEvent(() => {})
      resolve(sign)
    }
    const abort = () => end({ kind: 'aborted' })
    const look = () => {
      const event = turn.next()
      if (event !== undefined) end(event)
    }
    const watch = () => {
      const quiet = clock.now() - turn.lastEventAt
      if (quiet < idleTimeout) cancelTimer = clock.after(idleTimeout - quiet, watch)
      else end({ kind: 'silent' })
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort)
    turn.onEvent(look)
    watch()
    look()
  })
}

/** True if the server responds. */
export function respondsToPing(server: ToolServer, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancelTimer = clock.after(pingTimeout, () => resolve(false))
    // No server supports this request, and a live one reports so immediately.
    void server.process.request('cadre/ping').then((answer) => {
      cancelTimer()
      resolve(answer.kind !== 'gone')
    })
  })
}
