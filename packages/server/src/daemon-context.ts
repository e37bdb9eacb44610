import type { Note, Problems } from '@cadre/channels'
import type { Agents, Clock } from '@cadre/core'
import type { Home } from '@cadre/home'
import type { FileEngine } from '@cadre/journal'
import type { SessionKeeper } from './session-keeper.ts'

/** What every duty of the daemon works with. */
export interface DaemonContext {
  readonly home: Home
  /** The folder that agents without a workspace of their own may change. */
  readonly workspace: string
  /** As the files say at each time it is asked. */
  readonly agents: Agents
  readonly engine: Pick<FileEngine, 'read' | 'list'>
  readonly sessions: SessionKeeper
  readonly note: Note
  readonly problems: Problems
  readonly clock: Clock
  /** The most sessions at the top that may run at once, as the configuration says at the time it is asked. */
  parallel(): number
}
