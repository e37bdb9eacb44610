import type { Controls, RunResult, Work } from '@cadre/core'

/** What a session of the home is to the daemon. */
export type KeptState =
  | { readonly kind: 'absent' }
  /** Runs here, or waits here for its turn. `stuck`: its last run failed with this, and it goes on when something changes. */
  | { readonly kind: 'running'; readonly stuck?: string }
  /** Runs in another process. */
  | { readonly kind: 'elsewhere'; readonly pid: number }
  /** Waits for a person. */
  | { readonly kind: 'waiting' }
  | {
      readonly kind: 'ended'
      readonly outcome: 'completed' | 'incomplete' | 'error' | 'cancelled'
      readonly text: string
      /** Why, where it did not go well. */
      readonly reason?: string
    }
  /** Its file cannot be used. */
  | { readonly kind: 'broken'; readonly message: string }

export interface KeepRequest {
  /** Chosen by whoever asks, so that asking again after a crash finds the same session. */
  readonly id: string
  readonly agent: string
  readonly work: Work
  readonly controls?: Controls
  /** The session that created the task this is about: its budget, if there is one, pays for it. */
  readonly charged?: string
  /** Absent: the one of the daemon. */
  readonly workspace?: string
  /** Others change things at the same time: it gets a workspace of its own, if its agent can change anything. */
  readonly parallel?: boolean
  /** Sessions whose results it continues. */
  readonly from?: readonly string[]
}

/** The one place of the daemon that starts sessions and lets them go on. */
export interface SessionKeeper {
  /**
   * Starts this session, or continues it where it is: safe to repeat. Comes back as soon as it is queued; `ended` tells the rest.
   * Rejects with a `CadreError` when it cannot be started at all: an unknown agent or model.
   */
  start(request: KeepRequest): Promise<void>
  /**
   * Says something to a session, whether it runs, sleeps or has ended: it goes on then. Comes back when it is in its record:
   * under one `work.message` it is said once. `missing` when there is no such session.
   */
  tell(session: string, work: Work & { readonly message: string }): Promise<'told' | 'missing'>
  /** Lets a session, or the tree it belongs to, go on if there is anything to do in it. */
  resume(session: string): Promise<void>
  /** Ends a session for good; it is not taken up again. True when it was not ended already. */
  cancel(session: string, reason: string): Promise<boolean>
  state(session: string): Promise<KeptState>
  /** Called whenever a session that was started at the top here has ended or waits. Returns how to stop listening. */
  onRest(listener: (session: string, result: RunResult) => void): () => void
}
