import type { Problem } from '@cadre/channels'
import type { JsonObject } from '@cadre/core'

/** What `storage/daemon.json` holds: how the daemon was when it was last written. */
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
    /** Those that wait for a person. */
    readonly waiting: readonly string[]
  }
  /** What people are asked for. */
  readonly approvals: readonly JsonObject[]
  /** By duty: numbers of its own, such as those of tasks. */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly channels: readonly string[]
  /** Where the daemon takes in what is posted to channels. */
  readonly address?: string
  readonly problems: readonly Problem[]
  /** Why changes are not committed in the home's git. */
  readonly gitMissing?: string
  /** A changed configuration waits until nothing runs. */
  readonly configurationPending?: boolean
}

/** Where a daemon says how it is, below the home. */
export const statusFile = ['storage', 'daemon.json'] as const

/** The name of the request to stop, in `storage/requests`. */
export const stopRequest = 'daemon.stop'
