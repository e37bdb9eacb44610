import type { AgentRegistry } from '@cadre/agents'
import type { Agents, CadreEvent, Clock, JsonObject, Models, Notice, Orchestrator } from '@cadre/core'
import type { Approvals, AuditLog } from '@cadre/gate'
import type { DaemonConfig, Home } from '@cadre/home'
import type { FileEngine } from '@cadre/journal'

/** What the daemon is put together from, outside of this package. One for its whole life. */
export interface DaemonRuntime {
  readonly home: Home
  /** The folder that agents without a workspace of their own may change. */
  readonly workspace: string
  /** A person has said that sessions may go on wherever they work. */
  readonly trusted?: boolean
  readonly clock: Clock
  /** One engine for every generation of the parts. Closed by the daemon. */
  readonly engine: FileEngine
  readonly approvals: Approvals
  readonly audit: AuditLog
  /**
   * Reads what sessions are run with: configuration, policy, hooks, tools. Nothing of it takes effect before `begin`. Rejects
   * with a `CadreError` that says what to mend.
   */
  load(): Promise<DaemonParts>
  /** Another text whenever what `load` reads has changed on disk. Must be cheap: it is asked every second. */
  stamp(): string
}

/** One generation of what sessions are run with. */
export interface DaemonParts {
  /** Those that can be used, as files say at each time it is asked. */
  readonly agents: Agents
  /** Everything that was read, with what is wrong with it. */
  readonly registry: AgentRegistry
  readonly models: Models
  readonly settings: DaemonConfig
  /** `channels` of the configuration, as it was written. */
  readonly channels: { readonly [name: string]: JsonObject }
  /** Why the daemon must not resume a stored run; `undefined` when it may. */
  readonly leaves?: (root: string) => string | undefined
  /** What a person should know. */
  readonly notices: readonly Notice[]
  /** Puts these parts in charge. Only while nothing runs. */
  begin(): Orchestrator
}

/** What the runtime tells the daemon. */
export interface Outside {
  /** Every event of every session. Does not throw and does not wait. */
  readonly emit: (event: CadreEvent) => void
  /** Sentences for a person, about the files of the home. */
  readonly tell: (message: string) => void
  /** The audit cannot be written, or can be again. */
  readonly auditFailed: (message: string | undefined) => void
  /**
   * Something could not be written. True when it should be tried again until it can be: the disk is full, and everything waits
   * for that to be over.
   */
  readonly endures: (error: unknown) => boolean
}

/** The git of a home. Commits are batched; nothing waits for them. */
export interface HomeGit {
  note(message: string): void
  flush(): Promise<void>
  close(): Promise<void>
  /** Why there is no git. */
  readonly missing?: string
  /** Why the last commit could not be made. */
  readonly failing?: string | undefined
}
