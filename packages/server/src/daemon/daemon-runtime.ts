import type { AgentRegistry } from '@cadre/agents'
import type { Agents, CadreEvent, Clock, JsonObject, Models, Notice, Orchestrator } from '@cadre/core'
import type { Approvals, AuditLog } from '@cadre/gate'
import type { DaemonConfig, Home } from '@cadre/home'
import type { FileEngine } from '@cadre/journal'

/** The parts of the daemon from outside this package. One instance for its whole life. */
export interface DaemonRuntime {
  readonly home: Home
  /** The folder that agents without their own workspace may change. */
  readonly workspace: string
  /** True if a person trusts every workspace, so that all sessions may be resumed. */
  readonly trusted?: boolean
  readonly clock: Clock
  /** One engine for every generation of the parts. Closed by the daemon. */
  readonly engine: FileEngine
  readonly approvals: Approvals
  readonly audit: AuditLog
  /**
   * Loads configuration, policy, hooks and tools. Nothing takes effect before `begin`. Rejects with a `CadreError` that names the mistake.
   */
  load(): Promise<DaemonParts>
  /** Returns a different text whenever the files of `load` have changed. Must be cheap, because it is called every second. */
  stamp(): string
  /** Called last, when nothing is running. Must end quickly. */
  close?(): Promise<void>
}

/** One generation of settings and parts. */
export interface DaemonParts {
  /** The usable agents, from the current files. */
  readonly agents: Agents
  /** All agents that were read, with their problems. */
  readonly registry: AgentRegistry
  readonly models: Models
  readonly settings: DaemonConfig
  /** `channels` of the configuration, as written. */
  readonly channels: { readonly [name: string]: JsonObject }
  /** Returns the reason why the daemon must not resume a stored run, or `undefined`. */
  readonly leaves?: (root: string) => string | undefined
  /** Messages to the user. */
  readonly notices: readonly Notice[]
  /** Activates these parts. Call it only while nothing runs. */
  begin(): Orchestrator
}

/** Callbacks from the runtime to the daemon. */
export interface RuntimeCallbacks {
  /** Receives every event of every session. Must not throw or block. */
  readonly emit: (event: CadreEvent) => void
  /** Receives messages to the user about files in the home. */
  readonly tell: (message: string) => void
  /** Called when the audit cannot be written, and with `undefined` when it can be again. */
  readonly auditFailed: (message: string | undefined) => void
  /** Called when a write failed. Returns true to retry until it succeeds, for example on a full disk. */
  readonly shouldRetry: (error: unknown) => boolean
}

/** The git history of a home. Commits are batched and run in the background. */
export interface HomeGit {
  note(message: string): void
  flush(): Promise<void>
  close(): Promise<void>
  /** The reason why there is no git. */
  readonly missing?: string
  /** The reason why the last commit failed. */
  readonly failing?: string | undefined
}
