import type { AgentRegistry } from '@cadre/agents'
import type { Answer, Orchestrator } from '@cadre/core'
import type { ApprovalRecord, Decided } from '@cadre/gate'
import type { DaemonConfig } from '@cadre/home'
import type { DaemonContext } from '../daemon-context.ts'
import type { Caller } from '../http/guard/caller.ts'
import type { DaemonRuntime } from './daemon-runtime.ts'
import type { DaemonStatus } from './daemon-status.ts'

/** The parts of a daemon that its page uses. */
export interface PageParts {
  readonly daemon: DaemonContext
  readonly runtime: DaemonRuntime
  settings(): DaemonConfig
  orchestrator(): Orchestrator
  registry(): AgentRegistry
  /** Records a decision and resumes the session. */
  decide(record: ApprovalRecord, answer: Answer, caller: Caller): Promise<Decided>
  status(): DaemonStatus
  /** The status has changed. */
  changed(): void
}
