import type { CommandLimits } from '@cadre/home'
import type { List } from '../commands/line/line.ts'
import type { ExceededLimit } from './command-limit.ts'
import type { ProtectedChange } from './undo-changes.ts'

export interface CommandRun {
  /** A line as bash reads it, the words of one program, or a plan: no shell reads the last two. */
  readonly command: string | readonly string[] | { readonly plan: List }
  /** For a plan: folders besides the workspace in which no program is looked for. */
  readonly excluded?: readonly string[]
  /** Absolute and inside the workspace. */
  readonly cwd: string
  readonly workspace: string
  readonly timeoutMs: number
  /** On a copy of the workspace that is thrown away afterwards. */
  readonly copy: boolean
  readonly network: boolean
  /** All the command gets: clean it before. */
  readonly environment: NodeJS.ProcessEnv
  /** The call's key. */
  readonly key: string
  /** Most bytes kept of what it prints. */
  readonly mostOutput?: number
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<CommandLimits>
}

export interface CommandEnd {
  /**
   * `flooded`: it printed so much that it was stopped. `over_limit`: it used too much, and `limit` names the limit.
   * `not_started`: nothing was run, and `output` says why.
   */
  readonly kind: 'exited' | 'timed_out' | 'cancelled' | 'flooded' | 'over_limit' | 'not_started'
  readonly limit?: ExceededLimit
  /** Of the command itself; 128 and the number of the signal when one ended it. */
  readonly code: number | null
  /** Both streams, in order. */
  readonly output: string
  /** Whether the middle of the output is missing. */
  readonly cut: boolean
  /** What it did to protected files. All of it was undone, except where it says otherwise. */
  readonly changes: readonly ProtectedChange[]
  readonly sandboxed: boolean
  /** What the command itself saw as its workspace: without a sandbox a copy has a place of its own. */
  readonly root: string
}
