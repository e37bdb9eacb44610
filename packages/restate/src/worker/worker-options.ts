import type { CadreEvent, Clock, Engine, Orchestrator, SessionSpec, StoredSession } from '@cadre/core'
import type { TreeLife } from '../engine/tree-life.ts'
import type { LogItem } from '../log/log-item.ts'

/** What a worker needs from the process that assembles it. */
export interface WorkerParts {
  /**
   * Creates the orchestrator on the engine of the worker. Called once, before the worker accepts orders. The orchestrator runs many trees
   * at once, so its tools, agents and rules must be the same on all workers of the place.
   */
  readonly createOrchestrator: (engine: Engine) => Orchestrator
  /** Ends a stored session permanently: `endStoredSession` from the runtime. Used to cancel a session that is not running. */
  readonly endSession: (engine: Engine, session: StoredSession, reason: string) => Promise<void>
  readonly clock: Clock
  /**
   * Called with the durable changes of a tree, in order, for example to write session files. A later life repeats nothing, but a process
   * that dies may not have handled its last changes: compare with `spec` and `seq`. Must not throw or block.
   */
  readonly project?: (root: string, items: readonly LogItem[]) => void
  /** Called when a tree starts to run here, before anything of it runs. */
  readonly onLife?: (life: TreeLife) => void
  /** Called when a tree starts to run here or has stopped, so that a surface can show it. */
  readonly onTree?: (root: string, isRunning: boolean) => void
  /** Receives messages about retries and lost trees. Default: ignored. */
  readonly report?: (message: string) => void
}

export interface WorkerOptions {
  readonly parts: WorkerParts
  /** The address of the server's ingress, through which the worker reads archives and stores blobs. */
  readonly ingress: string
  readonly place: string
  /** Default: 127.0.0.1. The worker refuses another address without `identityKeys`. */
  readonly host?: string
  /** 0 selects a free port. */
  readonly port: number
  /** Public keys of the server (`publickeyv1_…`). The worker then rejects requests that the server has not signed. */
  readonly identityKeys?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly limits?: Partial<WorkerLimits>
}

export interface WorkerLimits {
  /**
   * Milliseconds for which the server cannot have given a tree to another worker without this worker noticing. An acknowledgement that
   * arrives later is confirmed by another write before anyone acts on it. Must be less than the server's HTTP/2 keep-alive timeout.
   */
  readonly fresh: number
  /** The size of a journal in bytes at which the tree moves to a new invocation. */
  readonly rollOver: number
  /** A text with more characters is stored as a blob, outside the journal. */
  readonly blob: number
}

export const defaultWorkerLimits: WorkerLimits = { fresh: 10_000, rollOver: 16 << 20, blob: 64 << 10 }

export interface Worker {
  /** The address to register at the server. */
  readonly url: string
  readonly port: number
  /** The trees that run here. */
  trees(): readonly string[]
  /** The sessions of a tree that runs here, with their records. */
  specs(root: string): readonly SessionSpec[]
  /** Takes an event of the orchestrator, for clients that watch its tree. Never waits. */
  observe(event: CadreEvent): void
  /**
   * Pauses all trees. Each continues on another worker, or on the newest deployment, when its running calls have been settled. Resolves
   * when no tree needs this worker. Call it before an upgrade.
   */
  drain(): Promise<void>
  /**
   * Stops immediately. Trees that still run continue on another worker, and their running calls are in doubt. After `drain`, other requests
   * of the server are finished first.
   */
  close(): Promise<void>
}
