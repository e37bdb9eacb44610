import type { Sandbox, Unreadable, UnwritablePaths } from '@cadre/gate'
import type { CommandLimits, Home } from '@cadre/home'

export const defaultSeconds = 120
export const maxSeconds = 600

/** How commands run. */
export interface CommandOptions {
  /** The isolation of commands. Default: searched for at the first command. */
  readonly sandbox?: Sandbox | Promise<Sandbox> | (() => Sandbox | Promise<Sandbox>)
  readonly home?: Home
  /** Paths that commands may not read, for a workspace. */
  readonly unreadableIn?: (workspace: string) => Unreadable | undefined
  /** Paths that commands may not change, for a workspace. */
  readonly unwritableIn?: (workspace: string) => UnwritablePaths | undefined
  /** True to allow network access. Without a sandbox, network access cannot be blocked. */
  readonly network?: boolean
  /** Folders besides the workspace in which no program is searched for: the project. */
  readonly excluded?: readonly string[]
  /** Additional environment variables that commands get. */
  readonly environment?: readonly string[]
  /** The maximum duration of a command; at most 600. */
  readonly maxSeconds?: number | undefined
  /** The maximum number of output bytes to keep. */
  readonly maxOutput?: number | undefined
  /** Limits on memory, processes and file size that differ from the defaults. */
  readonly limits?: Partial<CommandLimits>
  /** Receives messages for a person, for example that a command changed protected files. */
  readonly tell?: (message: string) => void
}
