import type { CommandLimits } from '@cadre/home'
import type { List } from '../commands/line/line.ts'
import type { ExceededLimit } from './command-limit.ts'
import type { ProtectedChange } from './undo-changes.ts'

export interface CommandRun {
  /** A bash command line, the words of one program, or a plan. Only the first uses a shell. */
  readonly command: string | readonly string[] | { readonly plan: List }
  /** For a plan: folders besides the workspace in which no program is searched for. */
  readonly excluded?: readonly string[]
  /** Absolute and inside the workspace. */
  readonly cwd: string
  readonly workspace: string
  readonly timeoutMs: number
  /** Run on a copy of the workspace, which is deleted afterwards. */
  readonly copy: boolean
  readonly network: boolean
  /** The complete environment of the command, already cleaned. */
  readonly environment: NodeJS.ProcessEnv
  /** The key of the call. */
  readonly key: string
  /** The maximum number of output bytes to keep. */
  readonly maxOutput?: number
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<CommandLimits>
  /** Receives the output as it arrives, in whole lines, for a person. Must not throw. */
  readonly take?: ((text: string) => void) | undefined
}

export interface CommandEnd {
  /**
   * `flooded`: stopped because it printed too much. `over_limit`: it exceeded `limit`. `not_started`: nothing ran, and
   * `output` contains the reason.
   */
  readonly kind: 'exited' | 'timed_out' | 'cancelled' | 'flooded' | 'over_limit' | 'not_started'
  readonly limit?: ExceededLimit
  /** The exit code of the command, or 128 plus the signal number. */
  readonly code: number | null
  /** Both streams, in order. */
  readonly output: string
  /** True if the middle of the output is missing. */
  readonly cut: boolean
  /** What it did to protected files. All of it was undone, unless stated otherwise. */
  readonly changes: readonly ProtectedChange[]
  readonly sandboxed: boolean
  /** The workspace path that the command saw: without a sandbox, a copy has another path. */
  readonly root: string
}
