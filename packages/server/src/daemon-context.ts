import type { Problems, RecordEvent } from '@cadre/channels'
import type { Agents, Clock } from '@cadre/core'
import type { Home } from '@cadre/home'
import type { FileEngine } from '@cadre/journal'
import type { SessionKeeper } from './session-keeper.ts'

/** The context of every duty of the daemon. */
export interface DaemonContext {
  readonly home: Home
  /** The folder that agents without their own workspace may change. */
  readonly workspace: string
  /** Reads the current files on each call. */
  readonly agents: Agents
  readonly engine: Pick<FileEngine, 'read' | 'list'>
  readonly sessions: SessionKeeper
  readonly note: RecordEvent
  readonly problems: Problems
  readonly clock: Clock
  /** The current maximum number of parallel entry sessions. */
  parallel(): number
}
