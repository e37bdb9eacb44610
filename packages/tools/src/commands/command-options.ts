import type { Sandbox, Unreadable, Unwritable } from '@cadre/gate'
import type { CommandLimits, Home } from '@cadre/home'

export const defaultSeconds = 120
export const mostSeconds = 600

/** How commands are run. */
export interface CommandOptions {
  /** What keeps them from the rest of the machine; looked for at the first command when it is not given. */
  readonly sandbox?: Sandbox | Promise<Sandbox> | (() => Sandbox | Promise<Sandbox>)
  readonly home?: Home
  /** What they may not read, for a workspace. */
  readonly unreadableIn?: (workspace: string) => Unreadable | undefined
  /** What they may not change, for a workspace. */
  readonly unwritableIn?: (workspace: string) => Unwritable | undefined
  /** The network is closed to them unless this is true. Without a sandbox nothing closes it. */
  readonly network?: boolean
  /** Folders besides the workspace in which no program is looked for: the project. */
  readonly excluded?: readonly string[]
  /** Names of more variables of the environment that they get. */
  readonly environment?: readonly string[]
  /** The longest a command may take; never more than 600. */
  readonly mostSeconds?: number
  /** Most bytes of the output that are kept. */
  readonly mostOutput?: number
  /** Limits on memory, processes and file size that differ from the defaults. */
  readonly limits?: Partial<CommandLimits>
  /** Told what a person should know: that a command touched protected files. */
  readonly tell?: (message: string) => void
}
