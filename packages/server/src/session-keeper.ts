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

/** Something to say to a session. It hears it once under this id. */
export type MessageWork = Work & { readonly message: string }

/** How a session is started. */
export interface Beginning {
  readonly agent: string
  readonly controls?: Controls
  /** The session that created the task this is about, or wrote the message: its budget, if there is one, pays for it. */
  readonly charged?: string
  /** Absent: the one of the daemon. */
  readonly workspace?: string
  /** Others change things at the same time: it gets a workspace of its own, if its agent can change anything. */
  readonly parallel?: boolean
  /** Sessions whose results it continues. */
  readonly from?: readonly string[]
}

export interface KeepRequest extends Beginning {
  /** Chosen by whoever asks, so that asking again after a crash finds the same session. */
  readonly id: string
  readonly work: Work
}

/**
 * The one place of the daemon that starts sessions and lets them continue. Whoever asks never waits for a session: what is asked
 * for is in a queue on disk when `start` and `tell` come back, and is delivered from there, in order and once.
 */
export interface SessionKeeper {
  /**
   * Starts this session, or continues it where it is: safe to repeat. Comes back as soon as it is queued; `onRest` tells the rest,
   * also that it could not be started. Rejects with a `CadreError` when its agent or model is unknown; then nothing is queued.
   */
  start(request: KeepRequest): Promise<void>
  /**
   * Queues a message for a session, whether it runs, sleeps or has ended: it continues with it. Safe to repeat: under one
   * `work.message` it is delivered once. A message that cannot be delivered stays queued and is retried. A session that does not
   * exist is started as `begin` says; without that, `missing` comes back. Rejects when the message cannot be queued.
   */
  tell(session: string, work: MessageWork, begin?: Beginning): Promise<'queued' | 'missing'>
  /** Whether a message is on its way to a session, or in its record. */
  delivery(session: string, message: string): Promise<'unknown' | 'queued' | 'delivered'>
  /** Lets a session, or the tree it belongs to, go on if there is anything to do in it. */
  resume(session: string): Promise<void>
  /** Ends a session for good, and drops what is queued for it. True when it was not ended already. */
  cancel(session: string, reason: string): Promise<boolean>
  state(session: string): Promise<KeptState>
  /** Called whenever a session that was started at the top here has ended or waits. Returns how to stop listening. */
  onRest(listener: (session: string, result: RunResult) => void): () => void
}
