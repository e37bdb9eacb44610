import type { Engine, Orchestrator, StoredSession } from '@cadre/core'

/** Runs the trees of orders. Without it, an engine only lends logs to its own process. */
export interface OrderRunner {
  readonly orchestrator: Orchestrator
  /** Ends a session permanently that is not running. */
  readonly endSession: (engine: Engine, session: StoredSession, reason: string) => Promise<void>
}
