import type { LogOutputChannel } from 'vscode'
import type { Homes } from './home/homes.ts'
import type { Runs } from './run/runs.ts'
import type { AgentSettings } from './settings/agent-settings.ts'

/** What the parts of the extension share. */
export interface Services {
  readonly log: LogOutputChannel
  readonly settings: AgentSettings
  readonly homes: Homes
  readonly runs: Runs
}
