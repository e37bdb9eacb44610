import type { Problem } from '@cadre/channels'
import type { JsonObject } from '@cadre/core'

/** The content of `storage/daemon.json`: the state of the daemon at the last write. */
export interface DaemonStatus {
  readonly state: 'starting' | 'running' | 'stopping' | 'stopped'
  readonly pid: number
  readonly host: string
  readonly since: string
  readonly updated: string
  readonly workspace: string
  readonly sessions: {
    readonly running: readonly string[]
    readonly queued: readonly string[]
    /** Sessions that wait for a person. */
    readonly waiting: readonly string[]
  }
  /** The pending approvals. */
  readonly approvals: readonly JsonObject[]
  /** Counts by duty, such as the number of tasks. */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly channels: readonly string[]
  /** The address of the HTTP server for channels. */
  readonly address?: string
  /** The address of the page, while it is served. */
  readonly page?: string
  readonly problems: readonly Problem[]
  /** The reason why changes are not committed to the home's git. */
  readonly gitMissing?: string
  /** True if a changed configuration is waiting until nothing runs. */
  readonly configurationPending?: boolean
}

/** The path of the status file in the home. */
export const statusFile = ['storage', 'daemon.json'] as const

/** The name of the request to stop, in `storage/requests`. */
export const stopRequest = 'daemon.stop'
