import type { PeerAnswer } from './json-lines-peer.ts'

/** What happens next in a turn. */
export type TurnEvent =
  | { readonly kind: 'called' }
  | { readonly kind: 'answered'; readonly answer: PeerAnswer }
  /** The program has ended; `message` is a full sentence. */
  | { readonly kind: 'lost'; readonly message: string }
  /** Cadre stopped the program, and repeating the request would not help. */
  | { readonly kind: 'stopped'; readonly message: string }

/** Receives what the program says during a request. */
export interface Listener {
  /** Without secrets, even if the program sends them in pieces. */
  readonly text: (delta: string) => void
  readonly notice: (code: string, message: string) => void
}
