import type { Placed, PlaceRequest } from '../paths/places.ts'
import type { Allowlist, Decision } from './allowlist.ts'
import type { Program } from './resolve-program.ts'

/** The part of `Places` that commands need. */
export interface PathJudge {
  judge(request: PlaceRequest): {
    readonly kind: Placed['kind']
    readonly real?: string
    readonly reason?: string
  }
  protectedIn(workspace: string): readonly string[]
}

export interface CommandRuleOptions {
  /** The user's and the home's lists. The strictest answer of those that say something counts; then the shipped list. */
  readonly allowlists: () => readonly Allowlist[]
  /** What applies to commands that no list says anything about. */
  readonly execute: Decision
  /** Where that is written. */
  readonly decidedBy?: string | undefined
  /** The user or the organisation allows it, not a project: it counts without a sandbox, too. */
  readonly isOwnExecute?: boolean
  /** What applies to files of the workspace that a redirect writes. */
  readonly write?: Decision
  /** False: no bubblewrap, so only the user's own rules allow more than reading. */
  readonly sandboxed: boolean
  readonly places: PathJudge
  /** False: decisions beforehand are forbidden by policy: nothing is allowed by a list. */
  readonly beforehand: boolean
  /** Where programs are looked for, as in `PATH`. */
  readonly searchPath?: string | undefined
  /** Folders besides the workspace in which no program is looked for: the project and the home. */
  readonly excluded?: readonly string[]
}

/** A line, where it is to run, and what it is judged by. */
export interface LineRequest {
  readonly source: string
  readonly workspace: string
  /** The folder in which the line starts. */
  readonly cwd: string
  readonly options: CommandRuleOptions
  /** The lists at this time. */
  readonly lists: readonly Allowlist[]
  readonly resolve: (name: string) => Program
}
